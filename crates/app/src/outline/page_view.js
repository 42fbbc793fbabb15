// A click on a word, or on the number of a line, shows its counterpart: on the picture, or in the text.
(() => {
  const shown = new Map();
  for (const element of document.querySelectorAll("[data-word]")) {
    const word = element.dataset.word;
    shown.set(word, [...(shown.get(word) ?? []), element]);
  }
  let marked = [];
  const mark = (words, side) => {
    for (const element of marked) element.classList.remove("on");
    marked = words.flatMap((word) => shown.get(word) ?? []);
    for (const element of marked) element.classList.add("on");
    marked.find((element) => !side.contains(element))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  document.addEventListener("click", (event) => {
    // Who selects text does not ask for its counterpart.
    if (!getSelection().isCollapsed) return;
    const side = event.target.closest("[data-side]");
    const word = event.target.closest("[data-word]");
    const line = event.target.closest("button.number");
    if (side && word) mark([word.dataset.word], side);
    else if (side && line) {
      const words = line.parentElement.querySelectorAll("[data-word]");
      mark([...words].map((element) => element.dataset.word), side);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") mark([], document.body);
  });
})();
