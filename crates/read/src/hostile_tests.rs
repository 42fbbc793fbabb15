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

/// Files that take longer than five seconds as tests are built; some of them end only at the limits of the process that reads
/// them. The example `read_hostile` reads each.
const TOO_LONG: [&str; 18] = [
    "a_million_annotations",
    "docx_that_inflates",
    "glyphs_without_end",
    "html_of_long_selectors",
    "html_of_many_attributes",
    "html_of_open_formats",
    "html_of_rules_for_all_elements",
    "jpeg_of_many_scans",
    "nested_clips",
    "nested_states",
    "page_tree_that_multiplies",
    "paths_of_many_segments",
    "png_of_inflating_texts",
    "stroked_paths_of_many_segments",
    "xlsx_of_long_number_formats",
    "xlsx_of_too_many_cells",
    "xml_of_too_many_elements",
    "zip_of_many_entries",
];

#[test]
#[ignore = "long"]
fn hostile_files_are_read_or_refused() {
    for file in HOSTILE_FILES.iter().filter(|file| !TOO_LONG.contains(&file.name)) {
        let why = refusal(file).unwrap_or_default();
        assert!(why.is_empty() || why.starts_with("the "), "{} {}: {why}", file.kind, file.name);
        // What draws a PDF may break, and is unwound.
        assert!(
            !why.contains("breaks its reader") || file.kind == "pdf",
            "{} {}: {why}",
            file.kind,
            file.name
        );
    }
}
