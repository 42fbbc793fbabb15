//! The words of a page as a layer over its picture: they can't be seen, and are selected, searched and read aloud.

use super::text_pane::visible;
use crate::ingest::{DocumentPage, PageBox};
use maud::{Markup, html};

/// The most words of a layer. A page with more is not read by people.
const MOST_WORDS: usize = 20_000;

/// The height of letters above their baseline, of the height of their box.
const ASCENT: f32 = 0.8;

/// The most that letters are wide for their height: a box that is turned upright does not make its letters huge.
const WIDEST: f32 = 3.0;

/// A word as it is drawn.
struct PlacedWord<'t> {
    text: &'t str,
    bounds: PageBox,
}

/// The layer of a page, in its own measures.
pub(super) fn page_words(page: &DocumentPage, text: &str) -> Markup {
    let turned = page.origin.ocr().map_or(0, |ocr| ocr.turned);
    let words = page.words.iter().take(MOST_WORDS).filter_map(|word| {
        let said = text.get(word.text()).filter(|said| !said.trim().is_empty())?;
        Some(PlacedWord { text: said, bounds: upright(word.bounds(), page, turned) })
    });
    let lines = lines(words);
    html! {
        svg.desk-words viewBox=(view_box(page)) {
            g transform=[from_upright(page, turned)] {
                @for line in &lines {
                    text {
                        @for word in line {
                            @let bounds = word.bounds;
                            tspan x=(bounds.left) y=(bounds.top + ASCENT * bounds.height) textLength=(bounds.width.max(0.1)) lengthAdjust="spacingAndGlyphs" font-size=(size(word)) { (visible(word.text)) }
                            " "
                        }
                    }
                }
            }
        }
    }
}

/// A box of a page after the page was turned by so many clockwise degrees.
fn upright(bounds: PageBox, page: &DocumentPage, turned: u16) -> PageBox {
    let PageBox { left, top, width, height } = bounds;
    let (right, bottom) = (page.width - left - width, page.height - top - height);
    match turned {
        90 => PageBox { left: bottom, top: left, width: height, height: width },
        180 => PageBox { left: right, top: bottom, width, height },
        270 => PageBox { left: top, top: right, width: height, height: width },
        _ => bounds,
    }
}

/// The way back of what is drawn on the page after it was turned.
fn from_upright(page: &DocumentPage, turned: u16) -> Option<String> {
    let (width, height) = (page.width, page.height);
    match turned {
        90 => Some(format!("matrix(0 -1 1 0 0 {height})")),
        180 => Some(format!("matrix(-1 0 0 -1 {width} {height})")),
        270 => Some(format!("matrix(0 1 -1 0 {width} 0)")),
        _ => None,
    }
}

/// The measures of a page, in points, for what is drawn over its picture.
pub(super) fn view_box(page: &DocumentPage) -> String {
    format!("0 0 {} {}", page.width, page.height)
}

/// The size of the letters of a word.
fn size(word: &PlacedWord<'_>) -> f32 {
    let count = u16::try_from(word.text.chars().count()).unwrap_or(u16::MAX).max(1);
    word.bounds.height.min(WIDEST * word.bounds.width / f32::from(count)).max(0.1)
}

/// Words in lines, as far as one follows the other at the same height.
fn lines<'t>(words: impl Iterator<Item = PlacedWord<'t>>) -> Vec<Vec<PlacedWord<'t>>> {
    let mut lines: Vec<Vec<PlacedWord<'t>>> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.last().is_some_and(|last| is_one_line(&last.bounds, &word.bounds)) => {
                line.push(word)
            }
            _ => lines.push(vec![word]),
        }
    }
    lines
}

/// Returns whether two words stand at one height.
fn is_one_line(last: &PageBox, next: &PageBox) -> bool {
    let shared = (last.top + last.height).min(next.top + next.height) - last.top.max(next.top);
    shared > 0.5 * last.height.min(next.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::PageWord;
    use serde_json::json;

    fn page(words: &[(usize, usize, [f32; 4])]) -> DocumentPage {
        let word = |&(start, end, [left, top, width, height]): &(usize, usize, [f32; 4])| {
            PageWord::new(start..end, PageBox { left, top, width, height }).unwrap()
        };
        let words = words.iter().map(word).collect();
        DocumentPage { width: 200.0, height: 100.0, text: 0..99, words, ..DocumentPage::default() }
    }

    #[test]
    fn words_are_where_they_are_on_the_page_and_lines_stay_lines() {
        let page = page(&[
            (0, 5, [10.0, 10.0, 30.0, 10.0]),
            (6, 11, [50.0, 11.0, 30.0, 10.0]),
            (12, 17, [10.0, 30.0, 30.0, 10.0]),
            (90, 99, [0.0, 0.0, 1.0, 1.0]),
        ]);
        let layer = page_words(&page, "grade <two> white").into_string();
        assert_eq!(layer.matches("<text>").count(), 2, "{layer}");
        let word = r#"<tspan x="50" y="19" textLength="30" lengthAdjust="spacingAndGlyphs" font-size="10">&lt;two&gt;</tspan> "#;
        assert!(layer.contains(word), "{layer}");
        assert!(layer.contains(r#"viewBox="0 0 200 100""#) && layer.contains(">white<"), "{layer}");
    }

    #[test]
    fn words_of_a_page_on_its_side_run_as_they_are_read() {
        // The box of a word in the corner of the page, and the way back from where it is after the turn.
        for (turned, x, y, length, way) in [
            (90, 80, 34, 10, "matrix(0 -1 1 0 0 100)"),
            (180, 160, 88, 30, "matrix(-1 0 0 -1 200 100)"),
            (270, 10, 184, 10, "matrix(0 1 -1 0 200 0)"),
        ] {
            let mut page = page(&[(0, 5, [10.0, 10.0, 30.0, 10.0])]);
            let ocr =
                json!({ "engine": "tesseract", "confidence": 96, "least_confidence": 60, "turned": turned });
            page.origin = serde_json::from_value(json!({ "ocr": ocr })).unwrap();
            let layer = page_words(&page, "grade").into_string();
            assert!(layer.contains(&format!("<g transform=\"{way}\">")), "{layer}");
            assert!(layer.contains(&format!("x=\"{x}\" y=\"{y}\" textLength=\"{length}\"")), "{layer}");
        }
    }

    #[test]
    fn a_word_that_is_turned_upright_has_small_letters_and_nothing_turns_the_page_round() {
        let layer = page_words(&page(&[(0, 8, [10.0, 10.0, 8.0, 60.0])]), "a\u{202e}bcdef").into_string();
        assert!(layer.contains("font-size=\"4\"") && layer.contains("\\u202e"), "{layer}");
    }
}
