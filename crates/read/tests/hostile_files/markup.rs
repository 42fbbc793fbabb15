//! Pages and XML files that are small and would be long to read.

fn html(head: &str, body: &str) -> Vec<u8> {
    format!("<!DOCTYPE html><html><head>{head}</head><body><p>Grade two of four</p>{body}</body></html>")
        .into_bytes()
}

fn many(count: usize, write: impl Fn(usize) -> String) -> String {
    (0..count).map(write).collect()
}

pub(crate) fn html_of_many_rules_and_elements() -> Vec<u8> {
    let rules = many(30_000, |at| format!("body div p.a{at}{{color:red}}"));
    html(&format!("<style>{rules}</style>"), &"<div><p class=a1>x</div>".repeat(30_000))
}

pub(crate) fn html_of_rules_for_all_elements() -> Vec<u8> {
    let rules = "div{color:red}".repeat(20_000);
    html(&format!("<style>{rules}</style>"), &"<div>x</div>".repeat(20_000))
}

pub(crate) fn html_of_long_selectors() -> Vec<u8> {
    let rule = format!("{} p{{display:none}}", "div ".repeat(19));
    let body = format!("{}{}", "<div>".repeat(150), "<p>x</p>".repeat(20_000));
    html(&format!("<style>{}</style>", rule.repeat(5_000)), &body)
}

pub(crate) fn html_of_open_style_blocks() -> Vec<u8> {
    html(&format!("<style>{}</style>", "a{".repeat(50_000)), "")
}

pub(crate) fn html_of_nested_media() -> Vec<u8> {
    html(&format!("<style>{}</style>", "@media screen{".repeat(20_000)), "")
}

pub(crate) fn html_of_many_style_sheets() -> Vec<u8> {
    html(&"<style>/* ".repeat(20_000), "")
}

pub(crate) fn html_of_wide_cells() -> Vec<u8> {
    let row = "<tr><td colspan=1000000000 rowspan=1000000000>x<td colspan=1000 rowspan=1000>y".repeat(5_000);
    html("", &format!("<table>{row}</table>"))
}

pub(crate) fn html_of_many_cells() -> Vec<u8> {
    html("", &format!("<table>{}</table>", format!("<tr>{}", "<td>x".repeat(300)).repeat(300)))
}

pub(crate) fn html_of_tables_within_tables() -> Vec<u8> {
    let mut table = "x".to_owned();
    for _ in 0..60 {
        table = format!("<table><tr>{}<td>{table}</table>", "<td>x".repeat(300));
    }
    html("", &table)
}

pub(crate) fn html_of_deep_elements() -> Vec<u8> {
    html("", &("<div>".repeat(20_000) + "x"))
}

pub(crate) fn html_of_open_formats() -> Vec<u8> {
    html("", &"<b><p><i><a href=x><table><font>".repeat(50_000))
}

pub(crate) fn html_of_formats_that_differ() -> Vec<u8> {
    html("", &(many(30_000, |at| format!("<font size={at}>")) + "<p>x".repeat(1_000).as_str()))
}

pub(crate) fn html_of_many_attributes() -> Vec<u8> {
    html("", &format!("<p {}>x</p>", many(30_000, |at| format!("a{at} "))))
}

pub(crate) fn html_of_many_attributes_of_the_page() -> Vec<u8> {
    html("", &many(20_000, |at| format!("<html a{at}>")))
}

pub(crate) fn html_of_a_long_class() -> Vec<u8> {
    let class = many(20_000, |at| format!("c{at} "));
    let rules = many(1_000, |at| format!("p.x{at}{{display:none}}"));
    html(&format!("<style>{rules}</style>"), &format!("<p class=\"{class}\">x</p>").repeat(20))
}

pub(crate) fn html_of_deep_lists() -> Vec<u8> {
    html("", &("<ul><li>x".repeat(20_000)))
}

pub(crate) fn html_of_definitions() -> Vec<u8> {
    html("", &("<dl><dt>x<dd>y".repeat(20_000)))
}

pub(crate) fn html_of_entities() -> Vec<u8> {
    html("", &"&CounterClockwiseContourIntegra&notit;&#x10ffff;&#99999999999;".repeat(20_000))
}

pub(crate) fn html_of_texts_before_a_table() -> Vec<u8> {
    html("", &format!("<table>{}", "x<b>y".repeat(20_000)))
}

pub(crate) fn html_of_options() -> Vec<u8> {
    html("", &format!("<select multiple>{}", "<option selected>x".repeat(50_000)))
}

pub(crate) fn xml_of_deep_elements() -> Vec<u8> {
    format!("<?xml version=\"1.0\"?>{}x", "<a>".repeat(2_100_000)).into_bytes()
}

pub(crate) fn xml_of_too_many_elements() -> Vec<u8> {
    format!("<?xml version=\"1.0\"?><a>{}</a>", "<b>x</b>".repeat(2_100_000)).into_bytes()
}

pub(crate) fn xml_of_many_columns() -> Vec<u8> {
    let row = |at: usize| format!("<row><c{at}>x</c{at}><d>y</d></row>");
    format!("<?xml version=\"1.0\"?><rows>{}</rows>", many(30_000, row)).into_bytes()
}

pub(crate) fn xml_of_many_columns_in_each_row() -> Vec<u8> {
    let row = format!("<row>{}</row>", many(2_000, |at| format!("<c{at}>x</c{at}>")));
    format!("<?xml version=\"1.0\"?><rows>{}</rows>", row.repeat(200)).into_bytes()
}

pub(crate) fn xml_of_many_attributes() -> Vec<u8> {
    format!("<?xml version=\"1.0\"?><a {}>x</a>", many(50_000, |at| format!("a{at}=\"1\" "))).into_bytes()
}

pub(crate) fn xml_of_long_names() -> Vec<u8> {
    let name = "a".repeat(20_000);
    format!("<?xml version=\"1.0\"?><r>{}</r>", format!("<{name}><b>x</b><c>y</c></{name}>").repeat(20))
        .into_bytes()
}

pub(crate) fn xml_of_nested_rows() -> Vec<u8> {
    let mut rows = "<v>x</v>".to_owned();
    for depth in 0..16 {
        rows = format!("<r{depth}><k>1</k>{rows}</r{depth}>").repeat(2);
    }
    format!("<?xml version=\"1.0\"?><a>{rows}</a>").into_bytes()
}

pub(crate) fn xml_of_entities() -> Vec<u8> {
    let more = many(40, |at| format!("<!ENTITY e{} \"&e{at};&e{at};\">", at + 1));
    format!("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e0 \"x\">{more}]><a>&e40;</a>").into_bytes()
}

pub(crate) fn article_of_deep_sections() -> Vec<u8> {
    let (open, close) = ("<sec><title>A</title><p>x</p>", "</sec>");
    format!(
        "<?xml version=\"1.0\"?><article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front><body>{}{}</body></article>",
        open.repeat(190),
        close.repeat(190)
    )
    .into_bytes()
}

pub(crate) fn article_of_many_references() -> Vec<u8> {
    let affiliations = many(20_000, |at| format!("<aff id=\"a{at}\">X</aff>"));
    let authors = many(20_000, |at| {
        format!(
            "<contrib contrib-type=\"author\"><name><surname>S</surname></name><xref ref-type=\"aff\" rid=\"a{at}\"/></contrib>"
        )
    });
    format!(
        "<?xml version=\"1.0\"?><article><front><article-meta><contrib-group>{authors}{affiliations}</contrib-group></article-meta></front><body><p>x</p></body></article>"
    )
    .into_bytes()
}

pub(crate) fn clinical_document_of_many_references() -> Vec<u8> {
    let content = many(30_000, |at| format!("<content ID=\"c{at}\">x</content>"));
    let entries = many(30_000, |at| {
        format!(
            "<entry><observation classCode=\"OBS\" moodCode=\"EVN\"><code code=\"1\" displayName=\"d\"><originalText><reference value=\"#c{at}\"/></originalText></code></observation></entry>"
        )
    });
    format!(
        "<?xml version=\"1.0\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\"><title>T</title><component><structuredBody><component><section><title>S</title><text>{content}</text>{entries}</section></component></structuredBody></component></ClinicalDocument>"
    )
    .into_bytes()
}

pub(crate) fn text_of_many_encodings() -> Vec<u8> {
    let mut text = b"<?xml version=\"1.0\" encoding=\"utf-7\"?>\n".to_vec();
    text.extend((0..2_000_000_u64).map(|at| u8::try_from(at * 7_919 % 251).unwrap_or(0)));
    text
}
