//! An image or PDF beside the fields, with boxes on its pages where the evidence has some.

use super::open_document::OpenDocument;
use crate::review::SourceText;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

/// A box on a page, in points from the top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PageBox {
    /// The page, from 1.
    pub(super) page: u32,
    pub(super) x0: f64,
    pub(super) y0: f64,
    pub(super) x1: f64,
    pub(super) y1: f64,
    /// The number of the field on the page of the desk.
    pub(super) field: usize,
}

/// The size of a page, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PageSize {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The document as its file is, and the positions of its fields on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FilePane {
    /// The address of the file.
    pub(super) address: String,
    pub(super) media_type: &'static str,
    /// The sizes of its pages, where they have been read.
    pub(super) pages: Vec<PageSize>,
    pub(super) boxes: Vec<PageBox>,
}

impl FilePane {
    /// Of a document that is an image or PDF. Nothing reads pages yet, so there are no boxes.
    pub(super) fn of(source: &SourceText, address: String) -> Option<Self> {
        let media_type = source.document()?.media.as_ref()?.media_type();
        Some(FilePane { address, media_type, pages: Vec::new(), boxes: Vec::new() })
    }
}

/// The file: an image, or a PDF that the browser shows; and the pages with boxes on them where there are some.
pub(super) fn file_pane(pane: &FilePane) -> Markup {
    let is_image = pane.media_type.starts_with("image/");
    html! {
        @if is_image {
            div.desk-page {
                img src=(pane.address) alt="The document";
                @if let Some(size) = pane.pages.first() { (boxes(pane, 1, *size)) }
            }
        } @else {
            // The first view of the browser's own reader; it is not sent.
            iframe.desk-file src={ (pane.address) "#navpanes=0&view=FitH" } title="The document" {}
            p.soft { a href=(pane.address) target="_blank" rel="noopener" { "Open the document in its own tab" } }
            @for (number, size) in (1..).zip(&pane.pages) {
                @if pane.boxes.iter().any(|one| one.page == number) {
                    figure.desk-page {
                        (boxes(pane, number, *size))
                        figcaption { "Positions of the values on page " (number) }
                    }
                }
            }
        }
    }
}

/// The boxes of a page, in its own measures.
fn boxes(pane: &FilePane, page: u32, size: PageSize) -> Markup {
    let view = format!("0 0 {} {}", size.width, size.height);
    html! {
        svg.desk-boxes viewBox=(view) role="img" aria-label={ "Places of values on page " (page) } {
            @for one in pane.boxes.iter().filter(|one| one.page == page) {
                rect data-evidence=(one.field) x=(one.x0) y=(one.y0) width=((one.x1 - one.x0).max(0.0)) height=((one.y1 - one.y0).max(0.0)) {}
            }
        }
    }
}

/// The bytes of the document, by the type that they are found to be. None for text, which is on the page.
pub(super) fn file(open: &OpenDocument) -> Option<Response> {
    let media = open.source.document()?.media.as_ref()?;
    let headers = [
        (header::CONTENT_TYPE, media.media_type()),
        (header::CONTENT_DISPOSITION, "inline"),
        // It may be in a frame of the desk, and do nothing by itself.
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
        ),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    Some((headers, media.bytes().to_vec()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_drawn_in_the_measures_of_their_page() {
        let pane = FilePane {
            address: "/review/r/d/file".to_owned(),
            media_type: "image/png",
            pages: vec![PageSize { width: 595.0, height: 842.0 }],
            boxes: vec![
                PageBox { page: 1, x0: 10.0, y0: 20.0, x1: 110.5, y1: 32.0, field: 3 },
                PageBox { page: 2, x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0, field: 4 },
            ],
        };
        let page = file_pane(&pane).into_string();
        assert!(page.contains(r#"viewBox="0 0 595 842""#), "{page}");
        assert!(
            page.contains(r#"<rect data-evidence="3" x="10" y="20" width="100.5" height="12">"#),
            "{page}"
        );
        assert!(!page.contains(r#"data-evidence="4""#));
    }
}
