// Copies what a button names.
const said = document.querySelector("#copied");
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
      said.textContent = " Copied.";
    } catch {
      said.textContent = " The browser does not allow copying here; use Download.";
    }
  });
}
