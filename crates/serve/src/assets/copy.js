// Copies what a button names: what is in a field, or the text of anything else.
const said = document.querySelector("#copied");
for (const field of document.querySelectorAll("[data-with-origin]")) {
  field.value = location.origin + field.value;
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.querySelector(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      said.textContent = " Copied.";
    } catch {
      said.textContent = " The browser does not allow copying here; select the text and copy it.";
    }
  });
}
