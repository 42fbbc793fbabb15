//! Pictures of a page that may hold text. Nothing is fetched: their size is what the page declares, or what it holds of
//! them.

use super::tree::{NodeId, PageTree};

/// The least area and side, in pixels of a screen, of a picture that may hold text: logos and icons are smaller.
const LEAST_AREA: f64 = 120_000.0;
const LEAST_SIDE: f64 = 150.0;
/// The least letters of a picture that is written into the page, if it declares no size.
const LEAST_LETTERS: usize = 40_000;

/// The number of pictures that may hold text.
pub(super) fn count(tree: &PageTree) -> usize {
    tree.nodes().filter(|node| tree.name(*node) == Some("img") && may_hold_text(tree, *node)).count()
}

fn may_hold_text(tree: &PageTree, image: NodeId) -> bool {
    let side = |name: &str| tree.attribute(image, name)?.trim().trim_end_matches("px").parse::<f64>().ok();
    match side("width").zip(side("height")) {
        Some((width, height)) => width.min(height) >= LEAST_SIDE && width * height >= LEAST_AREA,
        None => tree
            .attribute(image, "src")
            .is_some_and(|source| source.starts_with("data:image/") && source.len() >= LEAST_LETTERS),
    }
}
