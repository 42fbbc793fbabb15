//! The pages of a document as pictures, with boxes round the passages of its fields.

use super::document_page::DeskPage;
use super::page_pictures::PictureScale;
use super::page_words::view_box;
use super::text_pane::TextHighlight;
use super::window::PAGES;
use super::words;
use crate::ingest::{DocumentPage, PageBox, Pages};
use crate::review::PlacedText;
use maud::{Markup, html};
use std::ops::Range;
use std::sync::Arc;

/// The images that browsers show.
const SHOWN_IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The distance of a box from the words in it, in points.
const AROUND: f32 = 1.5;

/// The pages of a document, as far as they are shown, and the passages of its fields on them.
pub(super) struct PagesView {
    /// The sizes and words of its pages, where they are known.
    pages: Option<Arc<Pages>>,
    /// `true` if the file itself is the picture of its only page.
    is_image: bool,
    /// The pages of the document, from 0: those of its part of the file, if it is a section.
    own: Range<usize>,
    /// The pages that are shown, from 0.
    shown: Range<usize>,
    places: Vec<PagePlace>,
}

/// A passage on one page.
struct PagePlace {
    /// The number of its page, from 1.
    page: usize,
    boxes: Vec<PageBox>,
    /// The number of the field, or of the question, on the page of the desk.
    field: usize,
    /// `true` if it says another value than the field's.
    is_rival: bool,
    /// The name of the field.
    name: String,
}

impl PagesView {
    /// The pages of the document that a page of the desk shows; `None` if it has none.
    pub(super) fn of(page: &DeskPage<'_>) -> Option<Self> {
        let document = page.open.source.document()?;
        let media_type = document.media.as_ref().map(|media| media.media_type());
        let is_image = media_type.is_some_and(|media_type| SHOWN_IMAGES.contains(&media_type));
        let pages = document.pages.clone().filter(|pages| !pages.is_empty());
        if pages.is_none() && media_type.is_none() {
            return None;
        }
        let is_image = is_image && pages.as_ref().is_none_or(|pages| pages.len() == 1);
        let places = match (&pages, page.open.source.text()) {
            (Some(pages), Some(text)) => places(pages, text, page),
            _ => Vec::new(),
        };
        // Of the documents with pages, only a section of a file is no file of its own.
        let is_section = page.open.stored.record.path.is_none();
        let own = pages.as_ref().map_or(0..1, |pages| own_pages(pages, is_section));
        let shown = page.window.pages(own.clone(), places.first().map(|place| place.page));
        Some(PagesView { pages, is_image, own, shown, places })
    }

    /// The page of the passage of a field, if it is one of those that are not shown.
    pub(super) fn page_elsewhere(&self, field: usize) -> Option<usize> {
        let place = self.places.iter().find(|place| place.field == field && !place.is_rival)?;
        Some(place.page).filter(|page| !self.shown.contains(&(page - 1)))
    }

    /// The number of pages; `None` where it is not known.
    fn count(&self) -> Option<usize> {
        if self.is_image { Some(1) } else { self.pages.as_ref().map(|pages| pages.len()) }
    }

    fn page(&self, at: usize) -> Option<&DocumentPage> {
        self.pages.as_ref()?.iter().nth(at)
    }
}

/// The pages that a document has a part in, from 0: all, or of a section those with text of its own.
fn own_pages(pages: &Pages, is_section: bool) -> Range<usize> {
    let has_text = |page: &DocumentPage| !is_section || !page.text.is_empty();
    let start = pages.iter().position(has_text).unwrap_or(0);
    let end = (1..).zip(pages.iter()).filter(|(_, page)| has_text(page)).map(|(end, _)| end).last();
    start..end.unwrap_or(pages.len())
}

/// The passages of the fields and questions that are shown, on their pages.
fn places(pages: &Pages, text: &str, page: &DeskPage<'_>) -> Vec<PagePlace> {
    let placed = PlacedText::of(text);
    let of_mark = |mark: TextHighlight| {
        let name = page.fields.iter().find(|view| view.number == mark.field);
        let name = name.map_or_else(|| "the question".to_owned(), |view| words::named(&view.path));
        let found = pages.passages(placed.bytes(mark.start..mark.end));
        found.into_iter().map(move |passage| PagePlace {
            page: passage.page,
            boxes: passage.boxes,
            field: mark.field,
            is_rival: mark.is_rival,
            name: name.clone(),
        })
    };
    page.marks().into_iter().flat_map(of_mark).collect()
}

/// The tools, the small pictures of all pages, the pages, and the text.
pub(super) fn pages_pane(view: &PagesView, page: &DeskPage<'_>, text: Option<&Markup>) -> Markup {
    let several = view.shown.len() > 1;
    html! {
        (tools(view, text.is_some()))
        div.desk-leaves {
            @if several { (strip(view, page)) }
            div.desk-view data-view="pages" tabindex="0" role="region" aria-label="Pages of the document" {
                (steps(view, page))
                @for at in view.shown.clone() { (sheet(view, page, at)) }
                @if view.count().is_none() {
                    p.soft.desk-own-tab { a href=(page.address_of("file")) target="_blank" rel="noopener" { "Open the document in its own tab" } }
                }
                (steps(view, page))
            }
            @if let Some(text) = text {
                div.desk-view data-view="text" tabindex="0" role="region" aria-label="Text of the document" hidden { (text) }
            }
        }
    }
}

/// The buttons above the pages; they need the script of the page.
fn tools(view: &PagesView, has_text: bool) -> Markup {
    html! {
        div.desk-tools role="group" aria-label="How the document is shown" {
            @if has_text {
                span.desk-switch {
                    button type="button" data-show="pages" aria-pressed="true" { "Pages" }
                    button type="button" data-show="text" aria-pressed="false" { "Text " kbd { "v" } }
                }
            }
            span.desk-paging {
                button type="button" data-tool="smaller" aria-label="Smaller" title="Smaller (-)" { "−" }
                button.desk-zoom type="button" data-tool="fit" title="As wide as there is room (0)" { "100 %" }
                button type="button" data-tool="larger" aria-label="Larger" title="Larger (+)" { "+" }
                button type="button" data-tool="turn" title="Turn the page (t)" { "Turn " kbd { "t" } }
            }
            @if let Some(count) = view.count().filter(|_| view.own.len() > 1) {
                span.desk-paging {
                    label for="desk-go-to" { "Page " kbd { "p" } }
                    input id="desk-go-to" type="number" inputmode="numeric" min=(view.own.start + 1) max=(view.own.end) value=(view.shown.start + 1) autocomplete="off";
                    span { "of " (count) }
                }
            }
            p.desk-legend {
                span.says hidden { "says the value " span {} }
                span.rival hidden { "says another value " span {} }
            }
        }
    }
}

/// Small pictures of the pages, which lead to them.
fn strip(view: &PagesView, page: &DeskPage<'_>) -> Markup {
    html! {
        nav.desk-strip aria-label="All pages" {
            @for at in view.shown.clone() {
                @let number = at + 1;
                a href={ "#page-" (number) } data-page=(number) {
                    div.desk-leaf data-turn=[turn(view, at)] {
                        div.desk-sheet { (picture(view, at, &[&picture_address(page, number, PictureScale::Small)])) }
                    }
                    span { span.desk-aside { "Page " } (number) }
                }
            }
        }
    }
}

/// Links to the pages before and after those that are shown.
fn steps(view: &PagesView, page: &DeskPage<'_>) -> Markup {
    let count = view.count().unwrap_or(1);
    html! {
        @if view.shown.len() < view.own.len() {
            nav.desk-pages aria-label="More pages" {
                @if view.shown.start > view.own.start { a rel="prev" href=(page.address_of_page(view.shown.start.saturating_sub(PAGES).max(view.own.start) + 1)) { "Previous pages" } }
                span { "pages " (view.shown.start + 1) " to " (view.shown.end) " of " (count) }
                @if view.shown.end < view.own.end { a rel="next" href=(page.address_of_page(view.shown.end + 1)) { "Next pages" } }
            }
        }
    }
}

/// One page.
fn sheet(view: &PagesView, page: &DeskPage<'_>, at: usize) -> Markup {
    let number = at + 1;
    let title = match view.count() {
        Some(count) => format!("Page {number} of {count}"),
        None => format!("Page {number}"),
    };
    let known = view.page(at);
    let words = known
        .filter(|page| !page.words.is_empty())
        .map(|_| page.address_of(&format!("pages/{number}/words")));
    let addresses: Vec<String> = if view.is_image {
        vec![page.address_of("file")]
    } else {
        PictureScale::READ.map(|scale| picture_address(page, number, scale)).to_vec()
    };
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    html! {
        figure.desk-page id={ "page-" (number) } data-page=(number) data-words=[words] data-turn=[turn(view, at)] data-more[view.count().is_none()] aria-label=(title) {
            div.desk-sheet {
                (picture(view, at, &addresses))
                @if let Some(known) = known { (boxes(view, known, number)) }
            }
        }
    }
}

/// Clockwise degrees by which the script of the page turns a page that lies on its side, so that people can read it.
fn turn(view: &PagesView, at: usize) -> Option<u16> {
    view.page(at)?.origin.ocr().map(|ocr| ocr.turned).filter(|turned| *turned != 0)
}

/// The picture of a page at these addresses, from low to high resolution.
fn picture(view: &PagesView, at: usize, addresses: &[&str]) -> Markup {
    let size = view.page(at);
    let (width, height) = (size.map(|page| page.width.round()), size.map(|page| page.height.round()));
    // The words over the picture say what it shows. Where there are none, the picture is all there is.
    let alt = match size {
        Some(page) if !page.words.is_empty() => "",
        _ => "A page that is only a picture",
    };
    // Without a size, letters and A4 are as wide as this.
    let of_width = width.unwrap_or(600.0);
    let set = addresses.iter().zip(PictureScale::READ).filter(|_| addresses.len() > 1);
    let set: Vec<String> =
        set.map(|(address, scale)| format!("{address} {}w", (of_width * scale.pixels()).round())).collect();
    let set = (!set.is_empty()).then(|| set.join(", "));
    html! {
        img src=(addresses.get(1).or(addresses.first()).copied().unwrap_or_default()) srcset=[set.as_deref()] sizes=[set.as_deref().map(|_| "50vw")] loading="lazy" decoding="async" width=[width] height=[height] alt=(alt);
    }
}

fn picture_address(page: &DeskPage<'_>, number: usize, scale: PictureScale) -> String {
    page.address_of(&format!("pages/{number}?scale={}", scale.name()))
}

/// The boxes of a page, in its own measures.
fn boxes(view: &PagesView, page: &DocumentPage, number: usize) -> Markup {
    html! {
        svg.desk-boxes viewBox=(view_box(page)) {
            @for place in view.places.iter().filter(|place| place.page == number) {
                @let (evidence, rival) = if place.is_rival { (None, Some(place.field)) } else { (Some(place.field), None) };
                @let says = if place.is_rival { "says another value" } else { "says the value" };
                g.desk-place tabindex="-1" role="img" aria-label={ (place.name) ": " (says) } data-evidence=[evidence] data-rivals=[rival] {
                    @for one in &place.boxes {
                        rect x=(one.left - AROUND) y=(one.top - AROUND) width=((one.width + 2.0 * AROUND).max(0.0)) height=((one.height + 2.0 * AROUND).max(0.0)) rx="2" {}
                    }
                }
            }
        }
    }
}
