//! A document as a page of HTML: the picture of each of its pages with boxes over the words, beside the text that is read.
//! It needs no network, and holds nothing that runs but its own script.

use super::opened_source::OpenedSource;
use super::page_numbers::PageNumbers;
use super::positions::Positions;
use super::seen_document::SeenDocument;
use super::seen_page::PageSize;
use super::view_lines::{ViewLine, view_lines};
use super::{plan, reader_of, shown};
use crate::context::Context;
use crate::failure::Failure;
use crate::ingest::{DocumentPage, Pages, PartRole};
use crate::report::{STYLE, escape_html};
use crate::report_file::{refuse_overwriting, write_report};
use crate::streams::Streams;
use crate::value::prose::count;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::PathBuf;

const OWN_STYLE: &str = include_str!("page_view.css");
const SCRIPT: &str = include_str!("page_view.js");
/// The number of pages that are shown where no others are asked for.
const USUAL_PAGES: usize = 50;
/// Pixels of a picture for a point of its page.
const SCALE: f32 = 1.5;
/// The most bytes of all pictures. A browser opens no larger page in reasonable time.
const MOST_PICTURES: usize = 64 << 20;
/// The height of letters above the line they stand on, as a share of their box.
const ASCENT: f64 = 0.8;

/// A request for the page of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct PageViewRequest {
    /// The document; `-` for standard input.
    pub file: PathBuf,
    /// The file that the page is written to.
    pub to: PathBuf,
    /// The pages that are shown; `None` for the first fifty.
    pub pages: Option<PageNumbers>,
    /// The profile whose classification tells the type of the document.
    pub profile: String,
}

/// The picture of a page, or the reason why there is none.
enum Sheet {
    /// A PNG file.
    Drawn(Vec<u8>),
    /// It is left blank, because of this.
    Blank(String),
}

/// A page as it is shown.
struct ViewedPage<'p> {
    number: usize,
    page: &'p DocumentPage,
    sheet: Sheet,
    lines: Vec<ViewLine<'p>>,
}

/// Writes the page of a document.
///
/// # Errors
/// When the document can't be read, has no text, or lacks the pages that are asked for, or the page can't be written.
pub fn write_page_view(
    request: &PageViewRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<(), Failure> {
    let document = [("document", request.file.clone())];
    refuse_overwriting("--html", &request.to, &document, "pages.html")?;
    write_report(&request.to, &page_view(request, context, output)?)
}

fn page_view(request: &PageViewRequest, context: &Context, output: &mut Streams) -> Result<String, Failure> {
    let plan = plan(Some(&request.profile), context, output)?;
    let opened = OpenedSource::open(&request.file, &reader_of(plan.as_ref(), context), output)?;
    let classifier = plan.and_then(|plan| plan.classifier);
    let source = &opened.source;
    let positions = Positions::of(source.text(), source.pages());
    let seen = SeenDocument::of(&opened, classifier.as_ref(), &positions);
    let name = shown(&request.file);
    let wanted = wanted(request, &name, source.pages())?;
    let mut left = MOST_PICTURES;
    let mut viewed = Vec::new();
    let pages = (1..).zip(source.pages().into_iter().flat_map(Pages::iter));
    for (number, page) in pages.filter(|(number, _)| wanted.contain(*number)) {
        let sheet = sheet(&opened, context, number, left);
        if let Sheet::Drawn(png) = &sheet {
            left -= png.len();
        }
        let lines = view_lines(&page.text, &page.words, &positions);
        viewed.push(ViewedPage { number, page, sheet, lines });
    }
    let headings = source.document.structure.iter();
    let headings = headings.filter(|part| matches!(part.role, PartRole::Heading { .. }));
    let headings = headings.map(|part| positions.line(part.text.start)).collect();
    let content = match source.pages() {
        Some(pages) => of_pages(&viewed, pages.len(), &headings),
        None => {
            let lines = view_lines(&(0..source.text().len()), &[], &positions);
            html! { div class="sides alone" { (text_side(None, &lines, &headings)) } }
        }
    };
    Ok(whole(&name, &facts(&seen), &content))
}

/// The pages that are shown.
fn wanted(request: &PageViewRequest, name: &str, pages: Option<&Pages>) -> Result<PageNumbers, Failure> {
    let all = pages.map_or(0, Pages::len);
    match request.pages {
        None => Ok(PageNumbers { first: 1, last: USUAL_PAGES }),
        Some(asked) if asked.first <= all => Ok(PageNumbers { last: asked.last.min(all), ..asked }),
        Some(asked) => {
            let has = if all == 0 { "no pages".to_owned() } else { count(all as u64, "page") };
            Err(Failure::usage(format!("`{name}` has {has}, and page {} is asked for", asked.first))
                .help(if all == 0 { "leave `--pages` out" } else { "ask for pages that it has" }))
        }
    }
}

/// Draws a page, in at most so many bytes.
fn sheet(opened: &OpenedSource, context: &Context, number: usize, most: usize) -> Sheet {
    match context.reader().page_picture(&opened.bytes, number, SCALE) {
        Ok(picture) if picture.png().len() <= most => Sheet::Drawn(picture.into_png()),
        Ok(_) => Sheet::Blank(
            "the pictures before it are as much as a page may hold; ask for it alone, with `--pages`"
                .to_owned(),
        ),
        Err(error) => Sheet::Blank(format!("it could not be drawn: {error}")),
    }
}

/// Facts about a document, each with its name.
fn facts(seen: &SeenDocument) -> Vec<(&'static str, String)> {
    let mut facts = vec![("kind", seen.media_type.to_owned())];
    if let Some(found) = &seen.document_type {
        facts.push(("type", format!("{} (confidence {:.2})", found.name, found.confidence)));
    }
    if let Some(pages) = &seen.pages {
        facts.push(("pages", pages.len().to_string()));
    }
    facts
}

/// The page around its content.
fn whole(name: &str, facts: &[(&str, String)], content: &Markup) -> String {
    let script = BASE64_STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (safe(name)) }
                style { (PreEscaped(STYLE)) (PreEscaped(OWN_STYLE)) }
            }
            body {
                header {
                    h1 { bdi { (safe(name)) } }
                    dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (safe(value)) } } } }
                }
                main { (content) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Text from outside, as text of a page.
fn safe(text: &str) -> PreEscaped<String> {
    PreEscaped(escape_html(text))
}

fn of_pages(viewed: &[ViewedPage<'_>], all: usize, headings: &BTreeSet<usize>) -> Markup {
    html! {
        p.soft {
            "A click on a word, or on the number of a line, shows its counterpart."
            @if viewed.len() < all {
                " " (viewed.len()) " of " (all) " pages are shown; " code { "--pages" } " shows others."
            }
        }
        nav aria-label="Pages" {
            ul.pages {
                @for one in viewed {
                    li { a href={ "#page-" (one.number) } { "Page " (one.number) } ", " (holds(one.page)) }
                }
            }
        }
        @for one in viewed {
            section.page id={ "page-" (one.number) } {
                h2 { "Page " (one.number) }
                div.sides {
                    (picture_side(one))
                    (text_side(Some(one.number), &one.lines, headings))
                }
            }
        }
    }
}

/// The content of a page in words.
fn holds(page: &DocumentPage) -> String {
    if page.is_picture {
        "only a picture, of which no text is read".to_owned()
    } else {
        count(page.words.len() as u64, "word")
    }
}

/// The picture of a page with its words over it: as boxes, and as text that can be selected. A page without a picture
/// shows the words alone.
fn picture_side(viewed: &ViewedPage<'_>) -> Markup {
    let ViewedPage { number, page, sheet, lines } = viewed;
    let PageSize { width, height } = PageSize::of(page);
    let view = format!("0 0 {width} {height}");
    let (picture, blank) = match sheet {
        Sheet::Drawn(png) => (Some(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png))), None),
        Sheet::Blank(why) => (None, Some(why)),
    };
    let words = lines.iter().flat_map(|line| &line.pieces);
    let words = words.filter_map(|piece| {
        let word = piece.word?;
        Some((piece.text, word, <[f64; 4]>::from(page.words.get(word)?.bounds())))
    });
    html! {
        div data-side="picture" {
            @if let Some(why) = blank { p.soft { "No picture: " (safe(why)) "." } }
            figure.sheet {
                @if let Some(picture) = &picture { img src=(picture) alt={ "Page " (number) }; }
                svg viewBox=(view) class=[picture.is_none().then_some("drawn")] role="img" aria-label={ "Words of page " (number) } {
                    @for (text, word, [left, top, width, height]) in words {
                        g.word data-word={ (number) "-" (word) } {
                            rect x=(left) y=(top) width=(width) height=(height) {}
                            text x=(left) y=(format_args!("{:.2}", top + ASCENT * height)) font-size=(height)
                                textLength=(width) lengthAdjust="spacingAndGlyphs" { (safe(text)) }
                        }
                    }
                }
            }
        }
    }
}

/// The text of a page, or of a document without pages, line by line.
fn text_side(page: Option<usize>, lines: &[ViewLine<'_>], headings: &BTreeSet<usize>) -> Markup {
    html! {
        div.lines data-side="text" {
            @for line in lines {
                div class=[headings.contains(&line.number).then_some("heading")] {
                    @if page.is_some() { button.number type="button" { (line.number) } }
                    @else { span.number { (line.number) } }
                    bdi {
                        @for piece in &line.pieces {
                            @match (page, piece.word) {
                                (Some(page), Some(word)) => { span.word data-word={ (page) "-" (word) } { (safe(piece.text)) } }
                                (None, _) | (_, None) => { (safe(piece.text)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
