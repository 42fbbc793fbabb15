//! Hostile files: small ones that would take long, much memory or a deep stack to read, each made for one weakness.

mod images;
mod markup;
mod packages;
mod pdf;
pub(crate) mod pdf_writer;

/// A hostile file.
pub(crate) struct HostileFile {
    /// The kind of files that it is one of: `pdf`, `packages`, `markup`, `images`.
    pub(crate) kind: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// The function that makes it.
    pub(crate) make: fn() -> Vec<u8>,
}

macro_rules! files {
    ($($module:ident: $($name:ident),+;)+) => {
        /// All hostile files.
        pub(crate) const HOSTILE_FILES: &[HostileFile] = &[$($(
            HostileFile { kind: stringify!($module), name: stringify!($name), make: $module::$name },
        )+)+];
    };
}

files! {
    pdf: nested_empty_forms, nested_forms_with_paths, nested_forms_that_draw_nothing,
        form_that_draws_itself, nested_patterns, pattern_with_overlapping_cells,
        many_fills_with_a_pattern, nested_soft_masks, many_soft_masks, many_groups, nested_groups,
        paths_of_many_segments, stroked_paths_of_many_segments, fine_dashes,
        fine_dashes_off_the_page, nested_clips, nested_states, type3_font_that_draws_itself,
        type3_font_with_long_programs, enormous_page, page_like_a_thread, page_without_a_size,
        image_of_two_and_a_half_gigapixels, image_with_less_data_than_pixels,
        image_of_overflowing_size, image_drawn_ten_thousand_times, image_whose_mask_is_itself,
        jbig2_bomb, jpx_bomb, ccitt_bomb, jpeg_bomb, flate_bomb, flate_bomb_in_a_flate_bomb,
        lzw_bomb, predictor_bomb, content_of_a_million_parts,
        content_of_operators_that_draw_nothing, object_stream_that_holds_itself,
        tables_of_objects_in_a_circle, page_tree_in_a_circle, page_tree_that_multiplies,
        ten_thousand_pages, no_pages, font_without_a_map, map_of_characters_without_end,
        widths_without_end, glyphs_without_end, shadings_of_long_functions,
        function_that_calls_itself, colours_that_need_themselves, colours_within_colours,
        deep_arrays, deep_arrays_as_operands, a_million_annotations, many_layers,
        meshes_of_many_patches;
    packages: docx_of_deep_tables, docx_of_tables_within_tables, docx_of_many_cells,
        docx_of_wide_cells, docx_whose_styles_are_a_circle, docx_of_many_attributes,
        docx_that_inflates, xlsx_of_too_many_cells, xlsx_of_one_text_in_every_cell,
        xlsx_of_far_cells, xlsx_of_merged_cells, xlsx_of_long_number_formats, ods_of_repeated_cells,
        odt_of_repeated_cells_and_blanks, odt_of_deep_lists, zip_of_many_entries,
        rtf_of_deep_groups, rtf_of_many_cells, rtf_of_false_lengths, mail_of_deep_parts,
        mail_within_mails, mail_of_many_parts, mail_of_encoded_words;
    markup: html_of_many_rules_and_elements, html_of_rules_for_all_elements, html_of_long_selectors,
        html_of_open_style_blocks, html_of_nested_media, html_of_many_style_sheets,
        html_of_wide_cells, html_of_many_cells, html_of_tables_within_tables, html_of_deep_elements,
        html_of_open_formats, html_of_formats_that_differ, html_of_many_attributes,
        html_of_many_attributes_of_the_page, html_of_a_long_class, html_of_deep_lists,
        html_of_definitions, html_of_entities, html_of_texts_before_a_table, html_of_options,
        xml_of_deep_elements, xml_of_too_many_elements, xml_of_many_columns,
        xml_of_many_columns_in_each_row, xml_of_many_attributes, xml_of_long_names,
        xml_of_nested_rows, xml_of_entities, article_of_deep_sections, article_of_many_references,
        clinical_document_of_many_references, text_of_many_encodings;
    images: png_of_inflating_texts, png_of_too_many_pixels, png_of_many_chunks, gif_of_many_frames,
        tiff_whose_pages_are_a_circle, tiff_of_many_pages_in_a_long_file, webp_of_false_lengths,
        jpeg_of_many_scans;
}
