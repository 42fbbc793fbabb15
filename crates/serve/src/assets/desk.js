// The review desk by keyboard: which field is chosen, what a key does, and forms that replace the fields alone.
// Without it the page works by its forms and links.
import { legend, pageKey, scroller } from "./desk-pages.js";

const desk = document.querySelector("#desk");
const said = document.querySelector("#said");
const documentPane = desk.querySelector(".desk-document");
let fields = desk.querySelector("#fields");
let chosen = 0;
let left = false;

// How long the reviewer looked since the last decision, without the time in which the page was hidden.
let spent = 0;
let since = performance.now();
function look() {
  const now = performance.now();
  if (since !== null) spent += now - since;
  since = document.hidden ? null : now;
  return Math.round(spent);
}
document.addEventListener("visibilitychange", look);

const items = () => [...fields.querySelectorAll(".desk-field")];
const say = (text) => { said.textContent = text; };

// Marks the places of the chosen field in the document: what says its value, and what says another.
function markEvidence(number, scroll) {
  let [first, rival] = [null, null];
  for (const mark of documentPane.querySelectorAll("[data-evidence], [data-rivals]")) {
    const has = (name) => (mark.dataset[name] ?? "").split(" ").includes(number);
    mark.classList.toggle("chosen", has("evidence"));
    mark.classList.toggle("rival", has("rivals"));
    if (mark.closest("[hidden]")) continue;
    if (first === null && has("evidence")) first = mark;
    if (rival === null && has("rivals")) rival = mark;
  }
  legend(number);
  first ??= rival;
  // The document alone is scrolled: the page stays where it is.
  if (first && scroll) {
    const scrolled = scroller();
    const [at, pane] = [first.getBoundingClientRect(), scrolled.getBoundingClientRect()];
    scrolled.scrollTop += at.top - pane.top - scrolled.clientHeight / 2;
    if (at.left < pane.left || at.right > pane.right) scrolled.scrollLeft += at.left - pane.left - scrolled.clientWidth / 4;
  }
  return first;
}

// What a place says: a box is over words that the text has, too.
function wordsOf(place, number) {
  if (place.tagName === "MARK") return place.textContent;
  const own = (mark) => [mark.dataset.evidence, mark.dataset.rivals].some((numbers) => (numbers ?? "").split(" ").includes(number));
  return [...documentPane.querySelectorAll("mark")].find(own)?.textContent ?? place.getAttribute("aria-label") ?? "";
}

function choose(at, focus = true, scroll = focus) {
  const all = items();
  if (all.length === 0) return;
  chosen = Math.max(0, Math.min(at, all.length - 1));
  all.forEach((item, number) => {
    if (number === chosen) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
    item.tabIndex = number === chosen ? 0 : -1;
  });
  const item = all[chosen];
  if (focus) item.focus({ preventScroll: true });
  if (scroll) item.scrollIntoView({ block: "nearest" });
  markEvidence(item.dataset.number, true);
}

const current = () => items()[chosen];

// What a key triggers: a button or a summary of the chosen field, else one of the document.
function target(key) {
  const find = (root) => [...(root?.querySelectorAll("[data-key]") ?? [])].find((one) => one.dataset.key === key);
  return find(current()) ?? find(fields.querySelector(".desk-bar"));
}

// What had the focus before the keys were shown: it has it again when they are closed.
let beforeKeys = null;
document.addEventListener("toggle", (event) => {
  if (event.target.open || !event.target.querySelector?.("summary[data-key='?']")) return;
  const before = beforeKeys;
  beforeKeys = null;
  if (before?.isConnected) before.focus({ preventScroll: true });
}, true);

function press(key) {
  const found = target(key);
  if (!found || (desk.dataset.own !== "true" && key !== "?")) {
    say(desk.dataset.own === "true" ? "That is not possible here." : desk.dataset.taken);
    return;
  }
  if (found.tagName === "SUMMARY") {
    const details = found.parentElement;
    if (key === "?") {
      if (!details.open) beforeKeys = document.activeElement;
      details.open = !details.open;
      if (details.open) found.focus();
      return;
    }
    details.open = true;
    const input = details.querySelector("input:not([type=hidden]), select, textarea");
    if (input) {
      input.focus();
      input.select?.();
    } else found.focus();
  } else found.click();
}

// Whoever holds Enter, or presses it again at once, has not seen what is there now. So Enter counts again when it was released and
// the page has been there for a moment.
const MOMENT_MS = 400;
const RELEASED = "loopctl-enter-released";
let isHeld = sessionStorage.getItem(RELEASED) !== "yes";
sessionStorage.removeItem(RELEASED);
let countsFrom = 0;
function show() { desk.dataset.enter = !isHeld && performance.now() >= countsFrom ? "counts" : "waits"; }
function appeared() {
  countsFrom = performance.now() + MOMENT_MS;
  show();
  setTimeout(show, MOMENT_MS + 20);
}
function release() {
  isHeld = false;
  show();
}
appeared();
// The release may have come between two pages. A key that is held repeats; without any sign of it, it is not held.
const unseen = setTimeout(release, 1500);
document.addEventListener("keyup", (event) => { if (event.key === "Enter") release(); }, true);
document.addEventListener("pointerdown", release, true);
addEventListener("pagehide", () => { if (left && !isHeld) sessionStorage.setItem(RELEASED, "yes"); });
document.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const element = event.target instanceof Element ? event.target : document.body;
  if (event.key !== "Enter") {
    // Another key that is pressed ends the repeats of a held Enter.
    if (!event.repeat && !["Shift", "Control", "Alt", "Meta"].includes(event.key)) release();
    if (event.repeat && !isTyping(element) && (event.key.length === 1)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    return;
  }
  const counts = !event.repeat && !isHeld && performance.now() >= countsFrom;
  isHeld = true;
  clearTimeout(unseen);
  show();
  // A line break in a text decides nothing.
  if (counts || element.matches("textarea:not([data-line])")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!event.repeat) say("The page has just changed. Check it, then press Enter again.");
}, true);

const isTyping = (element) => element.closest("input, select, textarea, [contenteditable]") !== null;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const element = event.target instanceof Element ? event.target : document.body;
  if (event.key === "Escape") {
    // Out of the tools of the document, back to the fields.
    if (element.closest(".desk-tools")) return choose(chosen);
    const details = element.closest("details[open]");
    const confirm = fields.querySelector(".desk-confirm");
    if (details) details.open = false;
    confirm?.remove();
    if (details || confirm) choose(chosen);
    return;
  }
  if (isTyping(element)) {
    // A text of one line is sent by Enter, as in other inputs.
    if (event.key === "Enter" && !event.shiftKey && element.matches("textarea[data-line]")) {
      event.preventDefault();
      element.form.requestSubmit(element.form.querySelector("button[type=submit]"));
    }
    return;
  }
  // Enter on something that can be pressed presses that.
  if (event.key === "Enter" && element.closest("button, a, summary")) return;
  const about = pageKey(event.key);
  if (about !== null) {
    if (about) say(about);
    event.preventDefault();
    return;
  }
  const moves = { j: 1, k: -1 };
  if (event.key in moves) choose(chosen + moves[event.key]);
  else if (event.key === "g") {
    const mark = markEvidence(current()?.dataset.number, true);
    if (mark?.focus) mark.focus({ preventScroll: true });
    say(mark ? `The document says: ${wordsOf(mark, current()?.dataset.number)}` : "No passage of the document is known for this field.");
  } else if ("aAenmcuwr?123456789".includes(event.key) || event.key === "Enter") press(event.key);
  else return;
  event.preventDefault();
});

desk.addEventListener("focusin", (event) => {
  const item = event.target.closest(".desk-field");
  const at = item ? items().indexOf(item) : -1;
  if (at >= 0 && at !== chosen) choose(at, false);
});
desk.addEventListener("click", (event) => {
  const back = event.target.closest(".desk-confirm [data-focus]");
  if (back) {
    event.preventDefault();
    back.closest(".desk-confirm").remove();
    choose(chosen);
    return;
  }
  const item = event.target.closest(".desk-field");
  const at = item ? items().indexOf(item) : -1;
  if (at >= 0) choose(at, false);
});
// A passage that is clicked chooses its field; words that are selected don't.
documentPane.addEventListener("click", (event) => {
  if (!getSelection().isCollapsed) return;
  const under = document.elementsFromPoint(event.clientX, event.clientY);
  const place = under.map((one) => one.closest("[data-evidence], [data-rivals]")).find((one) => one && documentPane.contains(one));
  const numbers = `${place?.dataset.evidence ?? ""} ${place?.dataset.rivals ?? ""}`.split(" ").filter(Boolean);
  const at = items().findIndex((item) => numbers.includes(item.dataset.number));
  if (at >= 0 && at !== chosen) choose(at, false, true);
});
document.addEventListener("desk-shown", () => markEvidence(current()?.dataset.number, true));
// A value that was changed after it was checked is checked again.
desk.addEventListener("input", (event) => {
  event.target.form?.querySelector(".desk-checked")?.remove();
});

// One decision after the other: each says which decisions its reviewer had seen.
let sending = Promise.resolve();
desk.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const button = event.submitter;
  const body = new URLSearchParams(new FormData(form, button));
  const address = button?.getAttribute("formaction") ?? form.getAttribute("action");
  sending = sending.then(() => send(address, body)).catch(() => say("The service can't be reached. Nothing was saved."));
});

async function send(address, body) {
  const seen = fields.querySelector("input[name=seen]");
  if (seen) body.set("seen", seen.value);
  body.set("spent_ms", look());
  const answer = await fetch(address, { method: "POST", body, headers: { "X-Loopctl-Fragment": "1" } });
  const next = answer.headers.get("X-Loopctl-Next");
  if (next) {
    left = true;
    location.assign(next);
    return;
  }
  if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/html")) {
    const { error, help } = await answer.json();
    say(help ? `${error}: ${help}` : error);
    said.classList.add("wrong");
    return;
  }
  said.classList.toggle("wrong", !answer.ok);
  const before = current()?.dataset.field;
  const scrolled = fields.scrollTop;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = document.adoptNode(page.querySelector("#fields"));
  fields.replaceWith(fresh);
  fields = fresh;
  appeared();
  fields.scrollTop = scrolled;
  const isKept = answer.ok && address.includes("/decide") && !fields.querySelector(".desk-confirm");
  if (isKept) spent = 0;
  const all = items();
  const here = all.findIndex((item) => item.dataset.field === before);
  const moves = isKept && (["accept", "edit", "not_present", "missed"].includes(body.get("decision")) && body.get("field") === before
    || body.get("decision") === "holds" && `issue:${body.get("issue")}` === before);
  choose((here < 0 ? chosen : here) + (moves ? 1 : 0));
  say(fields.dataset.said || (answer.ok ? "Checked. Press Enter to save the value." : ""));
  // What is not answered yet is where the reviewer continues.
  const isRefused = answer.status === 422 && body.get("decision") === "accept" && !body.get("field");
  const open = isRefused ? items().findIndex((item) => item.hasAttribute("data-open")) : -1;
  if (open >= 0) choose(open);
  const focus = fields.querySelector("[data-focus], [aria-invalid=true]");
  if (focus) {
    const item = focus.closest(".desk-field");
    if (item) choose(items().indexOf(item), false);
    focus.focus();
    focus.scrollIntoView({ block: "nearest" });
  }
}

// The document stays this reviewer's while the page is open.
let until = Number(desk.dataset.until);
async function renew() {
  const answer = await fetch(desk.dataset.renew, { method: "POST", headers: { "X-Loopctl-Fragment": "1" } });
  if (answer.ok) until = (await answer.json()).until_ms;
  else {
    const { error } = await answer.json();
    say(error);
    said.classList.add("wrong");
    desk.dataset.own = "false";
    desk.dataset.taken = error;
    for (const button of fields.querySelectorAll("button")) button.disabled = true;
    clearInterval(renewing);
  }
}
const renewing = desk.dataset.own === "true" ? setInterval(() => renew().catch(() => {}), 120_000) : 0;
addEventListener("pagehide", () => {
  if (desk.dataset.own !== "true" || left) return;
  navigator.sendBeacon(desk.dataset.release, new URLSearchParams({ until_ms: String(until) }));
});
// A page that comes back from the browser's memory may not have the document any more.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// The page is seen from its top.
choose(0, true, false);
