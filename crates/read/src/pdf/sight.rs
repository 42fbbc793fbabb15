//! The glyphs of a page that a person sees, and how many words no one does.

use super::glyphs::Glyph;
use crate::page_ink::PageInk;
use hayro_interpret::kurbo::Rect;

/// A page whose visible glyphs are fewer than this part of its invisible ones is a scan with a layer of text, in percent.
const LAYER_PERCENT: usize = 10;
/// The most that the next glyph of a word is away from where it is expected, in parts of the size.
const NEXT_GLYPH: f64 = 0.3;
/// The least letters or digits of a hidden word: single ones are traces of how a page was made.
const LEAST_LETTERS: usize = 2;

/// Glyphs of a page.
pub(super) struct Sighted {
    /// Those that a person sees; of a scan, those of the layer of text that lies over ink.
    pub(super) seen: Vec<Glyph>,
    /// The number of words that no one sees.
    pub(super) hidden_words: usize,
}

impl Sighted {
    /// Tells glyphs that are seen on a page from those that are not. A page of plain print has not been drawn: its glyphs
    /// have ink.
    pub(super) fn of(glyphs: Vec<Glyph>, page: Rect, ink: Option<&PageInk>) -> Self {
        let visible = glyphs.iter().filter(|glyph| glyph.is_visible && page.contains(glyph.origin)).count();
        let invisible = glyphs.len() - visible;
        let is_scan = visible.saturating_mul(100) < invisible.saturating_mul(LAYER_PERCENT);
        let mut sighted = Sighted { seen: Vec::new(), hidden_words: 0 };
        for word in glyphs.chunk_by(continues) {
            let is_drawn = word.iter().all(|glyph| glyph.is_visible) || is_scan;
            let bounds = word.iter().map(Glyph::bounds).reduce(|one, next| one.union(next));
            let on_page = bounds.is_some_and(|bounds| page.contains(bounds.center()));
            // A font without shapes is shown by another program in a font of its own.
            let has_shapes = word.iter().any(|glyph| glyph.has_shape);
            let is_seen = |ink: &PageInk| bounds.is_some_and(|bounds| ink.is_seen(bounds));
            let has_ink = !has_shapes || ink.is_none_or(is_seen);
            // It has the colour of what is behind and around it, whatever else is drawn in its place.
            let is_ground = !is_scan
                && ink
                    .zip(bounds)
                    .is_some_and(|(ink, bounds)| ink.is_ground(bounds, word.iter().map(|glyph| glyph.shade)));
            if word.iter().all(Glyph::is_blank) || (is_drawn && on_page && has_ink && !is_ground) {
                sighted.seen.extend_from_slice(word);
            } else if letters(word) >= LEAST_LETTERS {
                sighted.hidden_words += 1;
            }
        }
        sighted
    }
}

/// Returns whether a glyph continues the word of the one before it, in the order in which they are drawn.
fn continues(glyph: &Glyph, next: &Glyph) -> bool {
    let expected = glyph.origin + glyph.advance;
    glyph.is_visible == next.is_visible
        && !glyph.is_blank()
        && !next.is_blank()
        && (next.origin - expected).hypot() <= NEXT_GLYPH * glyph.size.max(next.size)
}

fn letters(glyphs: &[Glyph]) -> usize {
    let texts = glyphs.iter().filter_map(|glyph| glyph.text.as_deref());
    texts.flat_map(str::chars).filter(|c| c.is_alphanumeric()).count()
}
