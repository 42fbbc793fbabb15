//! Pages, as they are read.

use super::super::PartRole;
use super::super::file_text::{FileText, Unread};
use super::super::markup_unread::{MarkupFault, MarkupFormat};
use super::{is_page, read};
use proptest::prelude::*;
use std::fmt::Write;

fn text(body: &str) -> String {
    read(&format!("<!DOCTYPE html><html><body>{body}</body></html>")).unwrap().text
}

fn fault(page: &str) -> MarkupFault {
    match read(page) {
        Err(Unread::Markup { format: MarkupFormat::Html, fault }) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn blocks_are_lines_and_tables_keep_their_columns() {
    let body = "<h1>Discharge <em>summary</em></h1><p>Seen on\n 3&nbsp;May.<br>Again: H<sub>2</sub>O</p><div>One<div>two</div>three</div>
<table><caption>Doses</caption><tr><th>Drug<th>Dose<tfoot><tr><td>Sum<td>7<tbody><tr><td>Levofloxacin<td>750&nbsp;mg<tr><td rowspan=2>Metformin<td>1<tr><td>2</table>
<ol start=3><li>First<ul><li>Deep</ul><li>Second</ol><pre>a   b\n c</pre>
<dl><dt>Rating<dd>D<dt>Note:<dd><p>Long</p><p>text</p></dl>";
    insta::assert_snapshot!(text(body), @"
    Discharge summary

    Seen on 3 May.
    Again: H₂O

    One
    two
    three
    Doses

    Drug          Dose
    Levofloxacin  750 mg
    Metformin     1
                  2
    Sum           7

    3. First
       • Deep
    4. Second
    a   b
     c
    Rating: D
    Note: Long

    text
    ");
}

#[test]
fn headings_tables_and_lists_are_marked() {
    let FileText { text, structure, .. } =
        read("<html><h2>Results</h2><table><tr><td>Na<td>140</table><ul><li>done</ul></html>").unwrap();
    let parts: Vec<(PartRole, &str)> =
        structure.iter().map(|part| (part.role, &text[part.text.clone()])).collect();
    assert_eq!(
        parts,
        [
            (PartRole::Heading { level: 2 }, "Results"),
            (PartRole::Table, "Na  140"),
            (PartRole::List, "• done")
        ]
    );
}

#[test]
fn tables_that_lay_out_a_page_are_read_cell_by_cell() {
    let body = "<table><tr><td><h2>Left</h2><p>first</p><td><table><tr><td>No<td>17<tr><td>Date<td>3 May</table></table>";
    insta::assert_snapshot!(text(body), @"
    Left

    first

    No    17
    Date  3 May
    ");
}

#[test]
fn fields_of_forms_have_their_labels() {
    let body = "<form><label>Name <input value='Ann Berg'></label><br><label for=b>Born:</label> <input id=b value=1975>
<br><label>Ward</label> <select><option>A<option selected>B 2</select><br><label><input type=checkbox checked>smoker</label>
<br>Note <textarea>as told</textarea><input type=hidden value=secret><input type=password value=secret></form>";
    insta::assert_snapshot!(text(body), @"
    Name: Ann Berg
    Born: 1975
    Ward: B 2
    [x] smoker
    Note as told
    ");
}

#[test]
fn what_no_eye_sees_is_not_read() {
    let style = "<style>/* .x{display:none} */ .off{display:none} #gone{visibility:hidden} p.small{font-size:0}
@media print{.paper{display:none}} @media screen{.screen{display:none}} .a > .b{opacity:0} a:hover{display:none}
.shown{display:none} .shown{display:block}</style>";
    let hidden = [
        "<script>ignore</script>",
        "<template>ignore</template>",
        "<!-- ignore -->",
        "<noscript>ignore</noscript>",
        "<p hidden>ignore</p>",
        "<p style='display: none'>ignore</p>",
        "<div style='visibility:hidden'>ignore</div>",
        "<div class='x off'>ignore</div>",
        "<div id=gone><b>ignore</b></div>",
        "<p class=small>ignore</p>",
        "<p class=screen>ignore</p>",
        "<div class=a><i class=b>ignore</i></div>",
        "<p style='font-size:0.1px'>ignore</p>",
        "<p style='position:absolute;left:-9999px'>ignore</p>",
        "<p style='color:#fff'>ignore</p>",
        "<p style='color:#fefefe;background:white'>ignore</p>",
        "<table bgcolor=black><tr><td>ignore</table>",
        "<p style='text-indent:-9999px'>ignore</p>",
        "<p style='height:0;overflow:hidden'>ignore</p>",
        "<p style='clip:rect(0,0,0,0)'>ignore</p>",
        "<p style='color:transparent'>ignore</p>",
        "<del>ignore</del>",
        "<dialog>ignore</dialog>",
        "<input type=hidden value=ignore>",
        "<iframe srcdoc=ignore>ignore</iframe>",
        "<span style='text-decoration:line-through'>ignore</span>",
        "<select><option>x<option>ignore</select>",
        "<img alt=ignore>",
        "<div style='opacity:0'>ignore</div>",
        "<font color=white>ignore</font>",
    ];
    for hidden in hidden {
        let read = text(&format!("{style}<p>seen</p>{hidden}<p>also</p>"));
        assert!(
            !read.contains("ignore") && read.contains("seen") && read.contains("also"),
            "{hidden}: {read}"
        );
    }
    for seen in [
        "<p class=paper>shown</p>",
        "<p style='color:white;background:#003366'>shown</p>",
        "<p class=shown>shown</p>",
        "<table bgcolor=black><tr><td><font color=white>shown</font></table>",
        "<a>shown</a>",
        "<p style='font-size:9px'>shown</p>",
        "<div style='visibility:hidden'><b style='visibility:visible'>shown</b></div>",
        "<details><p>shown</p></details>",
        "<div style='background:url(x)'><p style='color:white'>shown</p></div>",
    ] {
        let read = text(&format!("{style}{seen}"));
        assert!(read.contains("shown"), "{seen}: {read}");
    }
    // A style sheet that is not read may put white text on a dark ground.
    assert!(text("<link rel=stylesheet href=x><p style='color:white'>shown</p>").contains("shown"));
    assert_eq!(fault("<html><p hidden>ignore</p></html>"), MarkupFault::NoText);
}

#[test]
fn elements_of_a_page_in_xml_may_end_with_their_beginning() {
    let page = "<?xml version='1.0'?><html xmlns='x'><head><title/><script src='x'/><style/></head><body><div hidden='hidden'/><p>seen</p><textarea/></body></html>";
    assert_eq!(read(page).unwrap().text, "seen\n");
    assert_eq!(fault(page.trim_start_matches("<?xml version='1.0'?>")), MarkupFault::NoText);
}

#[test]
fn styles_set_inline_elements_apart() {
    let body = "<style>.row{display:flex} .cell{display:inline-block}</style><div class=row><span>Total</span><span>99.50</span></div><b class=cell>A</b><b class=cell>B</b>";
    assert_eq!(text(body), "Total  99.50\nA  B\n");
}

#[test]
fn a_page_is_told_by_its_beginning() {
    for page in [
        "<!DOCTYPE html>",
        "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><html>",
        "\u{FEFF}\n<html lang=en>",
        "<?xml version='1.0'?><!-- x --> <html xmlns='x'>",
        "<!-- saved --><HEAD>",
    ] {
        assert!(is_page(page), "{page}");
    }
    for other in [
        "",
        "<",
        "<htmlx>",
        "<p>text</p>",
        "<?xml version='1.0'?><a/>",
        "<!-- <html>",
        "html",
        "<!DOCTYPE article>",
    ] {
        assert!(!is_page(other), "{other}");
    }
}

#[test]
fn hostile_pages_are_refused_or_read() {
    for nested in
        ["<div>", "<b>", "<p><b>", "<table><tr><td>", "<ul><li>", "<dl><dd>", "<select>", "<svg><a>"]
    {
        let page = format!("<html>{}<p>deep</p>", nested.repeat(20_000));
        assert!(read(&page).is_ok_and(|page| nested == "<select>" || page.text.contains("deep")), "{nested}");
    }
    let mut formatted = "<html>".to_owned();
    for nth in 0..5_000 {
        write!(formatted, "<p><b id={nth}>x").unwrap();
    }
    assert!(read(&formatted).is_ok());
    let wide = format!("<html><table><tr>{}</table>seen", "<td colspan=1000 rowspan=65534>".repeat(2_000));
    assert_eq!(read(&wide).unwrap().text, "seen\n");
    let long = format!("<html><p title=\"{}\">seen", "y".repeat(4 << 20));
    assert_eq!(read(&long).unwrap().text, "seen\n");
    assert_eq!(text("a\0b <p <p> </div></table> c"), "ab\n\nc\n");
    let rules: String = (0..3_000).map(|nth| format!("div .c{nth} b{{display:none}}")).collect();
    let styled = format!("<html><style>{rules}</style>{}", "<div><b>x</b></div>".repeat(20_000));
    assert_eq!(fault(&styled), MarkupFault::TooLarge);
}

proptest! {
    #[test]
    fn any_markup_is_refused_or_read(
        page in "(<div>|</div>|<table>|<tr>|<td>|</td>|<p>|<b>|</b>|<li>|<ul>|<select>|<option>|<svg>|<style>|</style>|<textarea>|&lt;|&#x0;|<!--|-->|\\{|\\}|text|<input value=|'|>| |\u{0}){0,60}",
    ) {
        let _ = (is_page(&page), read(&page));
    }
}

#[test]
fn a_picture_of_the_size_of_a_scan_counts_and_a_logo_does_not() {
    let pictures = |image: &str| {
        let page = format!("<!DOCTYPE html><html><body><p>Report</p>{image}</body></html>");
        read(&page).unwrap().structure.iter().filter(|part| part.role == PartRole::Picture).count()
    };
    for (width, height, count) in
        [("400", "300", 1), ("399px", "300", 0), ("149", "2000", 0), ("150px", "800px", 1)]
    {
        let image = format!("<img src=\"scan.png\" width=\"{width}\" height=\"{height}\">");
        assert_eq!(pictures(&image), count, "{image}");
    }
    let written = |letters: usize| format!("<img src=\"data:image/png;base64,{}\">", "A".repeat(letters));
    assert_eq!(
        (pictures(&written(40_000)), pictures(&written(2_000)), pictures("<img src=\"scan.png\">")),
        (1, 0, 0)
    );
}
