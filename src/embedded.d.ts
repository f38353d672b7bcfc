/** SQL, text and style files are embedded as text: `import sql from "./x.sql" with { type: "text" }`. */
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
