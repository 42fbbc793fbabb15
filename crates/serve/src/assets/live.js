// Keeps the part of a page that changes as it is on the server: at each event of its run, or every few seconds.
const part = document.querySelector("#live");
const said = document.querySelector("#live-said");
const least = 1000;

let isAsked = false;
let isWanted = false;

async function refresh() {
  if (isAsked) {
    isWanted = true;
    return;
  }
  isAsked = true;
  isWanted = false;
  try {
    const answer = await fetch(part.dataset.fragment, { headers: { Accept: "text/html" } });
    if (answer.ok) {
      replace(await answer.text());
      if (said) said.textContent = "";
    } else if (said) {
      said.textContent = "This page can't be updated; reload it.";
    }
  } catch {
    if (said) said.textContent = "The service does not respond; this page may be out of date.";
  }
  setTimeout(() => {
    isAsked = false;
    if (isWanted) refresh();
  }, least);
}

// The focus stays on the same link, and what is selected or opened stays.
function replace(html) {
  if (html === part.innerHTML || String(getSelection())) return;
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const fresh = new DOMParser().parseFromString(html, "text/html");
  part.replaceChildren(...fresh.body.childNodes);
  if (focused) [...part.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
}

if (part?.dataset.events) {
  const events = new EventSource(part.dataset.events);
  events.onmessage = refresh;
  for (const kind of ["assessed", "concluded", "decided", "failed", "finished", "started", "ended"]) {
    events.addEventListener(kind, refresh);
  }
}
if (part?.dataset.every) setInterval(() => document.hidden || refresh(), 1000 * Number(part.dataset.every));
