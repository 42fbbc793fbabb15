//! PDF files that are small and would be long to read.

use super::pdf_writer::{PdfFile, deflated, deflated_often};

const PAGE: &str = "0 0 600 800";
const FONT: &str = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
const SEEN: &str = "BT /F 10 Tf 20 700 Td (Grade two of four) Tj ET\n";

/// A page with a text, and this content after it.
fn page(resources: &str, content: &str) -> PdfFile {
    PdfFile::of_page(PAGE, &format!("{FONT} {resources}"), format!("{SEEN}{content}").as_bytes())
}

/// Ten forms of which each draws the next one ten times; the last has this content.
fn nested_forms(last: &str) -> Vec<u8> {
    let mut file = page("/XObject << /X 5 0 R >>", "/X Do\n");
    for depth in 0..10 {
        let next = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X {} 0 R >> >>",
            6 + depth
        );
        file.add_stream(&next, "/X Do\n".repeat(10).as_bytes());
    }
    file.add_stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800]", last.as_bytes());
    file.bytes()
}

pub(crate) fn nested_empty_forms() -> Vec<u8> {
    nested_forms("")
}

pub(crate) fn nested_forms_with_paths() -> Vec<u8> {
    nested_forms(&"10 10 m 500 700 l S\n".repeat(1_000))
}

pub(crate) fn nested_forms_that_draw_nothing() -> Vec<u8> {
    nested_forms(&"q Q ".repeat(250_000))
}

pub(crate) fn form_that_draws_itself() -> Vec<u8> {
    let mut file = page("/XObject << /X 5 0 R >>", "/X Do\n");
    file.add_stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 5 0 R >> >>",
        b"/X Do /X Do",
    );
    file.bytes()
}

pub(crate) fn nested_patterns() -> Vec<u8> {
    let fills = "/Pattern cs /P scn\n".to_owned() + "0 0 50 50 re f 1 1 40 40 re f\n".repeat(5).as_str();
    let mut file = page("/Pattern << /P 5 0 R >>", &fills);
    for depth in 0..10 {
        let dict = format!(
            "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 50 50] /XStep 50 /YStep 50 /Resources << /Pattern << /P {} 0 R >> >>",
            6 + depth
        );
        file.add_stream(&dict, fills.as_bytes());
    }
    file.add_stream(
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 5 5] /XStep 5 /YStep 5 /Resources << >>",
        b"0 0 3 3 re f",
    );
    file.bytes()
}

pub(crate) fn pattern_with_overlapping_cells() -> Vec<u8> {
    let mut file = page("/Pattern << /P 5 0 R >>", "/Pattern cs /P scn 0 0 500 500 re f\n");
    file.add_stream(
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1000000 1000000] /XStep 1 /YStep 1 /Resources << >>",
        b"0 0 3 3 re f",
    );
    file.bytes()
}

pub(crate) fn many_fills_with_a_pattern() -> Vec<u8> {
    let fills = "/Pattern cs /P scn\n".to_owned() + "0 0 600 800 re f\n".repeat(20_000).as_str();
    let mut file = page("/Pattern << /P 5 0 R >>", &fills);
    file.add_stream(
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 590 790] /XStep 590 /YStep 790 /Resources << >>",
        b"0 0 3 3 re f",
    );
    file.bytes()
}

fn mask(next: usize) -> String {
    format!("<< /M << /Type /ExtGState /SMask << /S /Luminosity /G {next} 0 R >> >> >>")
}

const GROUP: &str =
    "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >>";

pub(crate) fn nested_soft_masks() -> Vec<u8> {
    let content: String =
        (0..10).map(|at| format!("q 1 0 0 1 {at} {at} cm /M gs 0 0 500 500 re f Q\n")).collect();
    let mut file = page(&format!("/ExtGState {}", mask(5)), &content);
    for depth in 0..10 {
        let dict = format!("{GROUP} /Resources << /ExtGState {} >>", mask(6 + depth));
        file.add_stream(&dict, content.as_bytes());
    }
    file.add_stream(GROUP, b"1 g 0 0 300 300 re f");
    file.bytes()
}

pub(crate) fn many_soft_masks() -> Vec<u8> {
    let content: String =
        (0..20_000).map(|at| format!("q 1 0 0 1 0 0.{at:05} cm /M gs 0 0 500 500 re f Q\n")).collect();
    let mut file = page(&format!("/ExtGState {}", mask(5)), &content);
    file.add_stream(GROUP, b"1 g 0 0 300 300 re f");
    file.bytes()
}

pub(crate) fn many_groups() -> Vec<u8> {
    let mut file = page("/XObject << /X 5 0 R >>", &"/X Do\n".repeat(200_000));
    file.add_stream(&format!("{GROUP} /Resources << >>"), b"0 0 500 500 re f");
    file.bytes()
}

pub(crate) fn nested_groups() -> Vec<u8> {
    let mut file = page("/XObject << /X 5 0 R >>", &"/X Do\n".repeat(5_000));
    for depth in 0..45 {
        let dict = format!("{GROUP} /Resources << /XObject << /X {} 0 R >> >>", 6 + depth);
        file.add_stream(&dict, b"0 0 500 500 re f /X Do");
    }
    file.add_stream(GROUP, b"0 0 500 500 re f");
    file.bytes()
}

/// A path with so many corners all over the page.
fn corners(count: usize) -> String {
    let corner = |at: usize| format!("{} {} l ", at * 7_919 % 600, at * 104_729 % 800);
    "0 0 m ".to_owned() + (0..count).map(corner).collect::<String>().as_str()
}

pub(crate) fn paths_of_many_segments() -> Vec<u8> {
    page("", &(corners(200_000) + "f\n").repeat(5)).bytes()
}

pub(crate) fn stroked_paths_of_many_segments() -> Vec<u8> {
    page("", &("30 w 1 j 1 J ".to_owned() + corners(200_000).as_str() + "S\n").repeat(5)).bytes()
}

pub(crate) fn fine_dashes() -> Vec<u8> {
    page("", &"[0.0001] 0 d 0 0 m 600 800 l S\n".repeat(1_000)).bytes()
}

pub(crate) fn fine_dashes_off_the_page() -> Vec<u8> {
    page("", "[0.01] 0 d 0 0 m 1000000000 0 l S\n").bytes()
}

pub(crate) fn nested_clips() -> Vec<u8> {
    page("", &(corners(100) + "W n\n").repeat(5_000)).bytes()
}

pub(crate) fn nested_states() -> Vec<u8> {
    page("", &"q ".repeat(10_000_000)).bytes()
}

/// A Type 3 font whose only glyph has this program.
fn type3_font(program: usize) -> String {
    format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [1000] /Encoding << /Type /Encoding /Differences [97 /a] >> /CharProcs << /a {program} 0 R >> /Resources << /Font << /T 5 0 R >> >> >>"
    )
}

fn type3(shown: &str, program: &str) -> Vec<u8> {
    let resources = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /T 5 0 R >>";
    let content = format!("{SEEN}BT /T 10 Tf 20 600 Td {shown} ET");
    let mut file = PdfFile::of_page(PAGE, resources, content.as_bytes());
    file.add(&type3_font(6));
    file.add_stream("", program.as_bytes());
    file.bytes()
}

pub(crate) fn type3_font_that_draws_itself() -> Vec<u8> {
    type3("(aaaaaaaaaa) Tj", "1000 0 d0 BT /T 900 Tf (aaaaaaaaaa) Tj ET")
}

pub(crate) fn type3_font_with_long_programs() -> Vec<u8> {
    type3(
        &format!("({}) Tj", "a".repeat(100_000)),
        &("1000 0 d0 ".to_owned() + "q Q ".repeat(250_000).as_str()),
    )
}

pub(crate) fn enormous_page() -> Vec<u8> {
    PdfFile::of_page("0 0 1000000000 1000000000", FONT, SEEN.as_bytes()).bytes()
}

pub(crate) fn page_like_a_thread() -> Vec<u8> {
    PdfFile::of_page("0 0 0.001 1000000000", FONT, SEEN.as_bytes()).bytes()
}

pub(crate) fn page_without_a_size() -> Vec<u8> {
    PdfFile::of_page("0 0 1e38 -1e38", FONT, SEEN.as_bytes()).bytes()
}

fn image(dict: &str, data: &[u8], times: usize) -> Vec<u8> {
    let mut file = page("/XObject << /X 5 0 R >>", &"q 500 0 0 500 0 0 cm /X Do Q\n".repeat(times));
    file.add_raw_stream(&format!("/Type /XObject /Subtype /Image {dict}"), data);
    file.bytes()
}

pub(crate) fn image_of_two_and_a_half_gigapixels() -> Vec<u8> {
    let rows = deflated_often(&[0; 6_250], 50_000);
    image(
        "/Width 50000 /Height 50000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /FlateDecode",
        &rows,
        1,
    )
}

pub(crate) fn image_with_less_data_than_pixels() -> Vec<u8> {
    image("/Width 50000 /Height 50000 /BitsPerComponent 8 /ColorSpace /DeviceRGB", b"abc", 1)
}

pub(crate) fn image_of_overflowing_size() -> Vec<u8> {
    image("/Width 4294967295 /Height 4294967295 /BitsPerComponent 16 /ColorSpace /DeviceCMYK", b"abc", 1)
}

pub(crate) fn image_drawn_ten_thousand_times() -> Vec<u8> {
    let rows = deflated_often(&[7; 9_000], 3_000);
    image(
        "/Width 3000 /Height 3000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode",
        &rows,
        10_000,
    )
}

pub(crate) fn image_whose_mask_is_itself() -> Vec<u8> {
    image("/Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask 5 0 R", b"abcd", 1)
}

pub(crate) fn jbig2_bomb() -> Vec<u8> {
    // A segment of page information: 4,294,967,295 pixels on each side; then a generic region of that size.
    let mut data = vec![0, 0, 0, 0, 48, 0, 1, 0, 0, 0, 19];
    data.extend([0xff; 8]);
    data.extend([0; 11]);
    data.extend([0, 0, 0, 1, 38, 0, 1, 0, 0, 0, 30]);
    data.extend([0xff; 8]);
    data.extend([0; 22]);
    image(
        "/Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode",
        &data,
        1,
    )
}

pub(crate) fn jpx_bomb() -> Vec<u8> {
    let mut data = vec![0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0];
    for number in [60_000_u32, 60_000, 0, 0, 1, 1, 0, 0] {
        data.extend(number.to_be_bytes());
    }
    data.extend([
        0, 1, 7, 1, 1, 0xff, 0x52, 0, 12, 0, 0, 0, 1, 0, 5, 4, 4, 0, 1, 0xff, 0x5c, 0, 4, 0x40, 0x40,
    ]);
    data.extend([0xff, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xff, 0x93, 0xff, 0xd9]);
    image("/Width 60000 /Height 60000 /Filter /JPXDecode", &data, 1)
}

pub(crate) fn ccitt_bomb() -> Vec<u8> {
    image(
        "/Width 1000000 /Height 1000000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 1000000 /Rows 1000000 >>",
        &[0xff; 100_000],
        1,
    )
}

pub(crate) fn jpeg_bomb() -> Vec<u8> {
    let mut data = vec![0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0];
    data.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    data.extend([0x55; 1_000]);
    image(
        "/Width 65535 /Height 65535 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode",
        &data,
        1,
    )
}

fn raw_content(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut file = page("", "");
    let number = file.add_raw_stream(dict, data);
    file.put(
        3,
        &format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [{PAGE}] /Resources << {FONT} >> /Contents [4 0 R {number} 0 R] >>"
        ),
    );
    file.bytes()
}

pub(crate) fn flate_bomb() -> Vec<u8> {
    raw_content("/Filter /FlateDecode", &deflated_often(&[b' '; 1 << 20], 8_000))
}

pub(crate) fn flate_bomb_in_a_flate_bomb() -> Vec<u8> {
    let inner = deflated_often(&[b' '; 1 << 20], 20_000);
    raw_content("/Filter [/FlateDecode /FlateDecode]", &deflated(&inner))
}

pub(crate) fn lzw_bomb() -> Vec<u8> {
    // Codes of which each is the one before it and a blank more.
    let (mut data, mut bits, mut held) = (Vec::new(), 0_u32, 0_u64);
    let mut write = |code: u64, width: u32| {
        held = held << width | code;
        bits += width;
        while bits >= 8 {
            data.push(u8::try_from(held >> (bits - 8) & 0xff).unwrap_or(0));
            bits -= 8;
        }
        held &= (1 << bits) - 1;
    };
    for _ in 0..400 {
        write(256, 9);
        write(32, 9);
        let mut size = 258_u64;
        for code in 258..4_094_u64 {
            let width = match size + 1 {
                0..=511 => 9,
                512..=1023 => 10,
                1024..=2047 => 11,
                _ => 12,
            };
            write(code, width);
            size += 1;
        }
        let _ = size;
    }
    raw_content("/Filter /LZWDecode", &data)
}

pub(crate) fn predictor_bomb() -> Vec<u8> {
    let params = "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2000000000 /Colors 32 /BitsPerComponent 16 >>";
    raw_content(params, &deflated(&[1; 1_000]))
}

pub(crate) fn content_of_a_million_parts() -> Vec<u8> {
    let mut file = page("", &"0 0 m 1 1 l S\n".repeat(10_000));
    file.put(
        3,
        &format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [{PAGE}] /Resources << {FONT} >> /Contents [{}] >>",
            "4 0 R ".repeat(1_000_000)
        ),
    );
    file.bytes()
}

pub(crate) fn content_of_operators_that_draw_nothing() -> Vec<u8> {
    raw_content("/Filter /FlateDecode", &deflated_often(&b"q Q ".repeat(1 << 18), 200))
}

pub(crate) fn object_stream_that_holds_itself() -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let at = file.len();
    file.extend_from_slice(b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    let of_objects = file.len();
    file.extend_from_slice(
        b"3 0 obj\n<< /Type /ObjStm /N 2 /First 8 /Extends 3 0 R /Length 60 >>\nstream\n2 0 3 30 << /Type /Pages /Kids [2 0 R] >> << /Type /ObjStm /N 2 >>\nendstream\nendobj\n",
    );
    let start = file.len();
    let mut table = Vec::new();
    for (kind, place, index) in [(0, 0, 0), (1, at, 0), (2, 3, 0), (2, 3, 1)] {
        table.push(kind);
        table.extend(u32::try_from(place).unwrap_or(0).to_be_bytes());
        table.push(index);
    }
    let _ = of_objects;
    file.extend_from_slice(
        format!(
            "4 0 obj\n<< /Type /XRef /Size 4 /W [1 4 1] /Root 1 0 R /Prev {start} /Length {} >>\nstream\n",
            table.len()
        )
        .as_bytes(),
    );
    file.extend_from_slice(&table);
    file.extend_from_slice(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").as_bytes());
    file
}

pub(crate) fn tables_of_objects_in_a_circle() -> Vec<u8> {
    let file = String::from_utf8_lossy(&page("", "").bytes()).into_owned();
    let start = file.find("xref\n0").unwrap_or(0);
    file.replace("/Root 1 0 R", &format!("/Root 1 0 R /Prev {start} /XRefStm {start}")).into_bytes()
}

pub(crate) fn page_tree_in_a_circle() -> Vec<u8> {
    let mut file = page("", "");
    file.put(2, "<< /Type /Pages /Kids [2 0 R 5 0 R 3 0 R] /Count 3 /Parent 5 0 R >>");
    file.add("<< /Type /Pages /Kids [2 0 R 5 0 R] /Count 2 /Parent 2 0 R >>");
    file.bytes()
}

pub(crate) fn page_tree_that_multiplies() -> Vec<u8> {
    let mut file = page("", "");
    let mut kids = "<< /Type /Page /Parent 2 0 R >>".to_owned();
    for _ in 0..12 {
        kids = format!("<< /Type /Pages /Kids [{kids} {kids} {kids}] >>");
    }
    file.put(2, &format!("<< /Type /Pages /Kids [{kids}] >>"));
    file.bytes()
}

pub(crate) fn ten_thousand_pages() -> Vec<u8> {
    let mut file = page("", "");
    let kids: String = (0..10_000)
        .map(|_| {
            let page = format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [{PAGE}] /Resources << {FONT} >> /Contents 4 0 R >>"
            );
            format!("{} 0 R ", file.add(&page))
        })
        .collect();
    file.put(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 10000 >>"));
    file.bytes()
}

pub(crate) fn no_pages() -> Vec<u8> {
    let mut file = page("", "");
    file.put(2, "<< /Type /Pages /Kids [] /Count 0 >>");
    file.bytes()
}

pub(crate) fn font_without_a_map() -> Vec<u8> {
    let resources = "/Font << /F << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >> >>";
    PdfFile::of_page(PAGE, resources, b"BT /F 10 Tf 20 700 Td <00010002000300040005> Tj ET").bytes()
}

pub(crate) fn map_of_characters_without_end() -> Vec<u8> {
    let resources = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >>";
    let mut file = PdfFile::of_page(PAGE, resources, SEEN.as_bytes());
    let ranges = "<00000000> <ffffffff> <0041>\n".repeat(100);
    let map = format!(
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 100 beginbfrange {ranges} endbfrange 1 begincidrange <00000000> <ffffffff> 0 endcidrange endcmap"
    );
    file.add_stream("/UseCMap 5 0 R", map.as_bytes());
    file.bytes()
}

pub(crate) fn widths_without_end() -> Vec<u8> {
    let resources = "/Font << /F << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 2147483647 500 1 2147483647 600] /W2 [0 2147483647 1 2 3] >>] >> >>";
    PdfFile::of_page(PAGE, resources, b"BT /F 10 Tf 20 700 Td <00010002000300040005> Tj ET").bytes()
}

pub(crate) fn glyphs_without_end() -> Vec<u8> {
    let text = format!("BT /F 10 Tf 20 700 Td ({}) Tj ET\n", "a".repeat(100_000));
    raw_content("/Filter /FlateDecode", &deflated_often(text.as_bytes(), 1_000))
}

pub(crate) fn shadings_of_long_functions() -> Vec<u8> {
    let shading = "/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 1 0 1] /Matrix [600 0 0 800 0 0] /Function 5 0 R >> >>";
    let mut file = page(shading, &"/S sh\n".repeat(100));
    let program = format!("{{ {} pop }}", "1.5 mul sin ".repeat(10_000));
    file.add_stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]", program.as_bytes());
    file.bytes()
}

pub(crate) fn function_that_calls_itself() -> Vec<u8> {
    let shading = "/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 600 800] /Function 5 0 R >> >>";
    let mut file = page(shading, "/S sh\n");
    file.add("<< /FunctionType 3 /Domain [0 1] /Functions [5 0 R 5 0 R] /Bounds [0.5] /Encode [0 1 0 1] >>");
    file.bytes()
}

pub(crate) fn colours_that_need_themselves() -> Vec<u8> {
    let mut file = page("/ColorSpace << /C 5 0 R >>", "/C cs 1 sc 0 0 50 50 re f\n");
    file.add("[/Indexed 5 0 R 255 (abc)]");
    file.bytes()
}

pub(crate) fn colours_within_colours() -> Vec<u8> {
    let colours = "[/Pattern ".repeat(20_000) + "/DeviceGray" + "]".repeat(20_000).as_str();
    page(&format!("/ColorSpace << /C {colours} >>"), "/C cs 1 sc 0 0 50 50 re f\n").bytes()
}

pub(crate) fn deep_arrays() -> Vec<u8> {
    let mut file = page("", "");
    file.put(
        3,
        &format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [{PAGE}] /Deep {}{} /Resources << {FONT} >> /Contents 4 0 R >>",
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        ),
    );
    file.bytes()
}

pub(crate) fn deep_arrays_as_operands() -> Vec<u8> {
    page("", &("[".repeat(1_000_000) + "]".repeat(1_000_000).as_str() + " TJ\n")).bytes()
}

pub(crate) fn a_million_annotations() -> Vec<u8> {
    let mut file = page("", "");
    file.put(
        3,
        &format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [{PAGE}] /Resources << {FONT} >> /Contents 4 0 R /Annots [{}] >>",
            "5 0 R ".repeat(1_000_000)
        ),
    );
    file.add("<< /Subtype /Stamp /Rect [0 0 100 100] /AP << /N 6 0 R >> >>");
    file.add_stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100]", b"0 0 50 50 re f");
    file.bytes()
}

pub(crate) fn many_layers() -> Vec<u8> {
    // Each glyph looks at the list of layers.
    let resources = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /T 5 0 R >>";
    let content = format!("{SEEN}BT /T 10 Tf 20 600 Td ({}) Tj ET", "a".repeat(100_000));
    let mut file = PdfFile::of_page(PAGE, resources, content.as_bytes());
    file.add(&type3_font(6));
    file.add_stream("", b"1000 0 d0 0 0 500 500 re f");
    file.put(
        1,
        &format!(
            "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [] /D << /OFF [{}] >> >> >>",
            (10..100_010).map(|at| format!("{at} 0 R ")).collect::<String>()
        ),
    );
    file.bytes()
}

pub(crate) fn meshes_of_many_patches() -> Vec<u8> {
    let mut file = page("/Shading << /S 5 0 R >>", &"/S sh\n".repeat(100));
    let patch: Vec<u8> = (0..74_u16).map(|at| u8::try_from(at * 37 % 251).unwrap_or(0)).collect();
    let mut data = Vec::new();
    for _ in 0..20_000 {
        data.push(0);
        data.extend(&patch);
    }
    file.add_stream(
        "/ShadingType 6 /ColorSpace /DeviceRGB /BitsPerCoordinate 16 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [0 600 0 800 0 1 0 1 0 1]",
        &data,
    );
    file.bytes()
}
