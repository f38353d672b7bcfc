/** The result of deploying a preview with an alias. */
export function previewResult(alias: string) {
  return {
    deployment_number: 3,
    name: "demo",
    site_name: "demo",
    private: false,
    url: "https://demo.example",
    active: false,
    deployment_url: "https://3--demo.example",
    alias,
    alias_url: `https://${alias}--demo.example`,
    expires_at: null,
  };
}
