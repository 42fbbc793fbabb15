//! Hostile files: each ends, is read or refused, and breaks no reader.

#[path = "../tests/hostile_files/mod.rs"]
mod hostile_files;

use crate::DocumentReader;
use hostile_files::{HOSTILE_FILES, HostileFile};
use loopctl_core::value::DocumentId;

/// Files that are refused because they draw too much, and soon even by what is built for tests.
const TOO_MUCH: [&str; 18] = [
    "widths_without_end",
    "many_layers",
    "meshes_of_many_patches",
    "image_of_overflowing_size",
    "nested_empty_forms",
    "nested_forms_with_paths",
    "nested_forms_that_draw_nothing",
    "nested_patterns",
    "pattern_with_overlapping_cells",
    "many_fills_with_a_pattern",
    "nested_soft_masks",
    "many_soft_masks",
    "many_groups",
    "nested_groups",
    "fine_dashes",
    "fine_dashes_off_the_page",
    "nested_states",
    "type3_font_with_long_programs",
];

/// The reason why a file is refused, if it is. Images are drawn, too.
fn refusal(file: &HostileFile) -> Option<String> {
    let bytes = (file.make)();
    let is_image = DocumentReader::media_type(&bytes).is_some_and(|kind| kind.starts_with("image/"));
    let reader = DocumentReader::in_process();
    let drawn = if is_image { reader.page_picture(&bytes, 1, 0.1).err() } else { None };
    let read = reader.document(DocumentId::new("x"), bytes).text.err();
    drawn.or(read).map(|why| why.to_string())
}

#[test]
fn pages_that_draw_too_much_are_refused_by_what_they_would_draw() {
    for name in TOO_MUCH {
        let file = HOSTILE_FILES.iter().find(|file| file.name == name).unwrap();
        let why = refusal(file).unwrap_or_default();
        assert_eq!(why, "the document is a PDF whose pages draw more than those of any document", "{name}");
    }
}

#[test]
#[ignore = "long"]
fn hostile_files_are_read_or_refused_and_break_no_reader() {
    for file in HOSTILE_FILES {
        let why = refusal(file).unwrap_or_default();
        assert!(!why.contains("breaks its reader"), "{} {}: {why}", file.kind, file.name);
        assert!(why.is_empty() || why.starts_with("the "), "{} {}: {why}", file.kind, file.name);
    }
}
