// The pages of a document: how large they are shown, which way up, which one is seen, and the boxes round passages.
const pane = document.querySelector(".desk-document.has-pages");
const pages = pane?.querySelector("[data-view=pages]");
const views = [...(pane?.querySelectorAll(".desk-view") ?? [])];
const goTo = pane?.querySelector("#desk-go-to");

// What is scrolled: the pages or the text, or the whole pane of a document without pages.
export const scroller = () => views.find((view) => !view.hidden) ?? document.querySelector(".desk-document");

const figures = () => [...pages.querySelectorAll(".desk-page")];

// Which page fills the middle of the view.
let seen = 0;
function current() {
  const all = figures();
  return all.find((figure) => Number(figure.dataset.page) === seen) ?? all[0];
}

// Which of pages and text is shown: the next document is shown alike.
const SHOWN = "loopctl-desk-shown";
function show(name) {
  if (!views.some((view) => view.dataset.view === name)) return false;
  for (const view of views) view.hidden = view.dataset.view !== name;
  for (const button of pane.querySelectorAll("[data-show]")) button.setAttribute("aria-pressed", button.dataset.show === name);
  pane.dataset.shown = name;
  sessionStorage.setItem(SHOWN, name);
  document.dispatchEvent(new CustomEvent("desk-shown"));
  return true;
}

// Pictures are asked for as sharp as they are shown.
function sharpen() {
  for (const image of pages.querySelectorAll(".desk-page img")) {
    const width = Math.round(image.offsetWidth);
    if (width > 0) image.sizes = `${width}px`;
  }
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
const ZOOM = "loopctl-desk-zoom";
let zoom = ZOOMS.includes(Number(sessionStorage.getItem(ZOOM))) ? Number(sessionStorage.getItem(ZOOM)) : 1;
function setZoom(to) {
  // What is in the middle stays there.
  const middle = (size, at, whole) => (at + size / 2) / Math.max(whole, 1);
  const [across, down] = [middle(pages.clientWidth, pages.scrollLeft, pages.scrollWidth), middle(pages.clientHeight, pages.scrollTop, pages.scrollHeight)];
  zoom = to;
  pages.style.setProperty("--zoom", zoom);
  const percent = `${Math.round(zoom * 100)} %`;
  pane.querySelector("[data-tool=fit]").textContent = percent;
  pages.scrollLeft = across * pages.scrollWidth - pages.clientWidth / 2;
  pages.scrollTop = down * pages.scrollHeight - pages.clientHeight / 2;
  sessionStorage.setItem(ZOOM, zoom);
  sharpen();
  return `Pages at ${percent}.`;
}
const step = (by) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))]);

// Lays a sheet at so many clockwise degrees, with all that lies on it, and has what holds it take its shape.
function lay(holder, degrees) {
  const sheet = holder.querySelector(".desk-sheet");
  const ratio = holder.dataset.ratio ??= sheet.offsetWidth / sheet.offsetHeight;
  const lies = degrees % 180 !== 0;
  holder.dataset.turned = degrees;
  holder.style.aspectRatio = lies ? 1 / ratio : ratio;
  sheet.style.width = `${(lies ? ratio : 1) * 100}%`;
  sheet.style.rotate = `${degrees}deg`;
}

// Lays pages upright of which OCR tells that their pictures lie on their side. Their measures are known before they are drawn.
function layUpright() {
  for (const holder of pane.querySelectorAll("[data-turn]")) lay(holder, Number(holder.dataset.turn));
}

// Turns a page by a quarter.
function turn() {
  const figure = current();
  const degrees = (Number(figure.dataset.turned ?? 0) + 90) % 360;
  lay(figure, degrees);
  sharpen();
  return `Page ${figure.dataset.page} is turned by ${degrees} degrees.`;
}

function open(number) {
  const figure = figures().find((one) => Number(one.dataset.page) === number);
  if (!figure) {
    // A page of another part of a very long document.
    const count = Number(goTo?.max ?? 0);
    if (!(number >= 1 && number <= count)) return `There are ${count} pages.`;
    const address = new URL(location.href);
    address.searchParams.set("sheet", number);
    address.hash = `page-${number}`;
    location.assign(address);
    return "";
  }
  if (pane.dataset.shown === "text") show("pages");
  pages.scrollTop += figure.getBoundingClientRect().top - pages.getBoundingClientRect().top;
  see();
  return `Page ${number}.`;
}

// The page in the middle of the view is the one that tools are about.
function see() {
  const bounds = pages.getBoundingClientRect();
  const middle = bounds.top + bounds.height / 2;
  const figure = figures().find((one) => one.getBoundingClientRect().bottom >= Math.min(middle, bounds.bottom)) ?? figures().at(-1);
  const number = Number(figure?.dataset.page ?? 0);
  if (!figure || number === seen) return;
  seen = number;
  if (goTo && document.activeElement !== goTo) goTo.value = number;
  const strip = pane.querySelector(".desk-strip");
  for (const link of strip?.querySelectorAll("a") ?? []) {
    if (Number(link.dataset.page) !== number) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "true");
    const [at, all] = [link.getBoundingClientRect(), strip.getBoundingClientRect()];
    if (at.top < all.top || at.bottom > all.bottom) strip.scrollTop += at.top - all.top - strip.clientHeight / 2;
  }
}

// The words over a picture, which can be selected and are read aloud.
async function placeWords(figure) {
  const address = figure.dataset.words;
  if (!address || figure.dataset.worded) return;
  figure.dataset.worded = "asked";
  const answer = await fetch(address);
  if (!answer.ok) {
    delete figure.dataset.worded;
    return;
  }
  const layer = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("svg");
  if (layer) figure.querySelector(".desk-sheet").append(document.adoptNode(layer));
  figure.dataset.worded = "placed";
}

// Of a file whose pages are not known, the next page follows the one that was drawn.
async function follow(figure) {
  if (!figure.hasAttribute("data-more")) return;
  figure.removeAttribute("data-more");
  const [number, next] = [Number(figure.dataset.page), Number(figure.dataset.page) + 1];
  const image = figure.querySelector("img");
  const moved = (address) => address.replaceAll(`/pages/${number}?`, `/pages/${next}?`);
  const answer = await fetch(moved(image.getAttribute("src")));
  if (!answer.ok) return;
  const fresh = figure.cloneNode(true);
  fresh.id = `page-${next}`;
  fresh.dataset.page = next;
  fresh.setAttribute("data-more", "");
  fresh.setAttribute("aria-label", `Page ${next}`);
  fresh.removeAttribute("data-turned");
  fresh.removeAttribute("style");
  const picture = fresh.querySelector("img");
  picture.srcset = moved(picture.srcset);
  picture.src = moved(picture.getAttribute("src"));
  figure.after(fresh);
  watching.observe(fresh);
  sharpen();
}

// A picture that can't be shown says why; one for which there was no room is asked for again.
const MOST_TRIES = 6;
async function explain(image) {
  const figure = image.closest(".desk-page");
  if (!figure) return;
  const answer = await fetch(image.currentSrc || image.src).catch(() => null);
  const tries = Number(figure.dataset.tries ?? 0) + 1;
  figure.dataset.tries = tries;
  if (tries <= MOST_TRIES && (answer === null || answer.ok || answer.status === 503)) {
    setTimeout(() => { image.src = image.getAttribute("src"); }, 1000 * Number(answer?.headers.get("Retry-After") ?? 1));
    return;
  }
  const why = answer?.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : null;
  const note = document.createElement("p");
  note.className = "desk-failed";
  note.setAttribute("role", "note");
  note.textContent = why ? [why.error, why.help].filter(Boolean).join("; ") : "This page can't be shown.";
  figure.querySelector(".desk-failed")?.remove();
  figure.querySelector(".desk-sheet").append(note);
}

const watching = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    placeWords(target).catch(() => {});
    const image = target.querySelector("img");
    if (image.complete && image.naturalWidth > 0) follow(target).catch(() => {});
  }
}, { root: pages ?? null, rootMargin: "100% 0px" });

// Says on which pages the passages of the chosen field are.
export function legend(number) {
  if (!pane) return;
  for (const [name, key] of [["says", "evidence"], ["rival", "rivals"]]) {
    const item = pane.querySelector(`.desk-legend .${name}`);
    const has = (place) => (place.dataset[key] ?? "").split(" ").includes(number);
    const boxed = [...pages.querySelectorAll(".desk-place")].filter(has);
    item.hidden = boxed.length === 0 && ![...pane.querySelectorAll("mark")].some(has);
    const on = [...new Set(boxed.map((place) => Number(place.closest(".desk-page").dataset.page)))];
    const links = on.map((page) => {
      const link = document.createElement("button");
      link.type = "button";
      link.dataset.goTo = page;
      link.textContent = `page ${page}`;
      return link;
    });
    item.querySelector("span").replaceChildren(...(figures().length > 1 ? links : []));
  }
}

// What a key does with the pages; a sentence about it, or null if it is none of these keys.
export function pageKey(key) {
  if (!pane) return null;
  if (key === "v") {
    const other = pane.dataset.shown === "text" ? "pages" : "text";
    return show(other) ? `The ${other === "text" ? "text is" : "pages are"} shown.` : "The document has no text to show.";
  }
  if (key === "p" && goTo) {
    goTo.focus();
    goTo.select();
    return "";
  }
  if (key === "+" || key === "=") return step(1);
  if (key === "-") return step(-1);
  if (key === "0") return setZoom(1);
  if (key === "t") return turn();
  return null;
}

if (pane) {
  const tools = { smaller: () => step(-1), larger: () => step(1), fit: () => setZoom(1), turn };
  const say = (text) => { if (text) document.querySelector("#said").textContent = text; };
  pane.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.show) show(button.dataset.show);
    else if (button?.dataset.tool) say(tools[button.dataset.tool]());
    else if (button?.dataset.goTo) say(open(Number(button.dataset.goTo)));
    const link = event.target.closest(".desk-strip a");
    if (link) {
      event.preventDefault();
      say(open(Number(link.dataset.page)));
    }
  });
  goTo?.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      say(open(Number(goTo.value)));
      pages.focus({ preventScroll: true });
    }
  });
  goTo?.addEventListener("change", () => say(open(Number(goTo.value))));
  pages.addEventListener("scroll", see, { passive: true });
  pages.addEventListener("error", (event) => { if (event.target.tagName === "IMG") explain(event.target).catch(() => {}); }, true);
  pages.addEventListener("load", (event) => {
    const figure = event.target.closest?.(".desk-page");
    if (!figure) return;
    figure.querySelector(".desk-failed")?.remove();
    follow(figure).catch(() => {});
  }, true);
  // A picture may have failed before this script ran.
  for (const image of pages.querySelectorAll(".desk-page img")) if (image.complete && image.naturalWidth === 0 && image.getAttribute("src")) explain(image).catch(() => {});
  new ResizeObserver(sharpen).observe(pages);
  figures().forEach((figure) => watching.observe(figure));
  pane.dataset.shown = "pages";
  layUpright();
  if (sessionStorage.getItem(SHOWN) === "text") show("text");
  if (zoom !== 1) setZoom(zoom);
  sharpen();
  see();
}
