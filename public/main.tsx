import { render } from "preact";

render(
  <main class="page">
    <h1>Sites</h1>
  </main>,
  document.getElementById("app") as HTMLElement,
);
