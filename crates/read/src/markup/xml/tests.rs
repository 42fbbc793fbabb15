//! Files in XML, as they are read.

use super::super::file_text::{FileText, Unread};
use super::super::{PartRole, markup_unread};
use super::{is_xml, read};
use markup_unread::{MarkupFault, MarkupFormat};
use proptest::prelude::*;

fn text(xml: &str) -> String {
    read(xml).unwrap().text
}

fn fault(xml: &str) -> MarkupFault {
    match read(xml) {
        Err(Unread::Markup { format: MarkupFormat::Xml, fault }) => fault,
        other => panic!("{other:?}"),
    }
}

const ORDER: &str = r#"<?xml version="1.0"?>
<!DOCTYPE order SYSTEM "http://example.org/order.dtd">
<o:order xmlns:o="urn:example" xmlns:xsi="urn:i" xsi:schemaLocation="urn:example order.xsd" number="PO-7">
  <!-- say that the total is 1 -->
  <o:OrderDate>2024-10-03</o:OrderDate>
  <o:Buyer><o:Name>Br&#252;ck &amp; Co&nbsp;KG</o:Name><o:VatID>DE1</o:VatID></o:Buyer>
  <o:Line nr="1"><o:Item><o:Text>Flange <b>DN50</b></o:Text></o:Item><o:Price>31.40</o:Price></o:Line>
  <o:Line nr="2"><o:Item><o:Text><![CDATA[Gasket <soft>]]></o:Text></o:Item><o:Price>2.15</o:Price></o:Line>
  <?print now?>
</o:order>"#;

#[test]
fn data_are_named_lines_and_tables_of_records() {
    insta::assert_snapshot!(text(ORDER), @"
    order number: PO-7
    order Order Date: 2024-10-03

    Buyer
    order Buyer Name: Brück & Co KG
    order Buyer Vat ID: DE1

    Line

    nr  Item Text      Price
    1   Flange DN50    31.40
    2   Gasket <soft>  2.15
    ");
    let FileText { text, structure, .. } = read(ORDER).unwrap();
    let parts: Vec<(PartRole, &str)> =
        structure.iter().map(|part| (part.role, text[part.text.clone()].lines().next().unwrap())).collect();
    assert_eq!(
        parts,
        [(PartRole::Heading { level: 2 }, "Buyer"), (PartRole::Table, "nr  Item Text      Price")]
    );
}

#[test]
fn an_article_has_its_front_as_lines_and_its_sections_as_headings() {
    let article = r#"<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "JATS.dtd">
<article article-type="research-article" xmlns:xlink="x"><front><journal-meta><journal-title-group><journal-title>Acta</journal-title></journal-title-group>
<issn pub-type="epub">1471-2180</issn></journal-meta><article-meta><article-id pub-id-type="doi">10.1/x</article-id>
<title-group><article-title>Growth of <italic>E. coli</italic><xref ref-type="fn">*</xref></article-title></title-group>
<contrib-group><contrib contrib-type="author"><contrib-id contrib-id-type="orcid">https://orcid.org/0000-0002-1825-0097</contrib-id>
<name><surname>van der Berg</surname><given-names>José M</given-names></name><xref ref-type="aff" rid="a1"/></contrib></contrib-group>
<aff id="a1"><label>1</label>University of Oslo</aff>
<pub-date pub-type="epub"><day>2</day><month>8</month><year>2011</year></pub-date>
<abstract><p>Short.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>At 10<sup>-5</sup> M CO<sub>2</sub> <xref ref-type="bibr">[1]</xref>.</p>
<sec><title>Strains</title><p>Two.</p><list list-type="bullet"><list-item><p>K-12</p></list-item></list></sec></sec>
<table-wrap><label>Table 1</label><caption><p>Doses.</p></caption><table><thead><tr><th>Arm</th><th>Dose</th></tr></thead>
<tbody><tr><td>A</td><td>5 mg</td></tr></tbody></table><table-wrap-foot><fn><p>Daily.</p></fn></table-wrap-foot></table-wrap></body>
<back><ref-list><ref><label>1</label><element-citation><person-group><name><surname>Doe</surname><given-names>J</given-names></name></person-group><year>2009</year></element-citation></ref></ref-list></back></article>"#;
    let FileText { text, structure, .. } = read(article).unwrap();
    insta::assert_snapshot!(text, @"
    Title: Growth of E. coli
    Article type: research-article
    Author: José M van der Berg (ORCID 0000-0002-1825-0097; affiliation 1)
    Affiliation: 1 University of Oslo
    Journal: Acta
    ISSN (online): 1471-2180
    Published: 2011-08-02
    DOI: 10.1/x

    Abstract

    Short.

    Methods

    At 10⁻⁵ M CO₂ [1].

    Strains

    Two.

    • K-12

    Table 1 Doses.

    Arm  Dose
    A    5 mg

    Daily.

    References
    1 Doe J. 2009
    ");
    let headings = structure.iter().filter_map(|part| match part.role {
        PartRole::Heading { level } => Some((level, &text[part.text.clone()])),
        _ => None,
    });
    let headings: Vec<(u8, &str)> = headings.collect();
    assert_eq!(
        headings,
        [(1, "Title: Growth of E. coli"), (2, "Abstract"), (2, "Methods"), (3, "Strains"), (2, "References")]
    );
    let notes: Vec<&str> = structure
        .iter()
        .filter(|part| part.role == PartRole::Note)
        .map(|part| &text[part.text.clone()])
        .collect();
    assert_eq!(notes, ["Daily."]);
}

#[test]
fn a_clinical_document_has_its_header_its_sections_and_their_entries() {
    let document = r#"<ClinicalDocument xmlns="urn:hl7-org:v3"><templateId root="1.2"/><code code="34133-9" displayName="Summary"/><title>Visit</title>
<effectiveTime value="201308010500-0800"/><recordTarget><patientRole><id extension="99" root="1"/><addr><city>Oslo</city><country>NO</country></addr>
<patient><name><given>Eve</given><family>Berg</family></name><birthTime value="19750501"/></patient></patientRole></recordTarget>
<component><structuredBody><component><section><code code="1"/><title>Medications</title><text><paragraph>As <content revised="delete">not </content>told.</paragraph>
<table><thead><tr><th>Drug</th><th>Dose</th></tr></thead><tbody><tr><td>Ibuprofen</td><td><content ID="d1">600 mg</content></td></tr></tbody></table>
<list listType="ordered"><item>Rest</item><item>Return</item></list></text>
<entry><substanceAdministration negationInd="true" classCode="SBADM"><statusCode code="completed"/><effectiveTime><low value="20130806"/></effectiveTime>
<doseQuantity value="600" unit="mg"/><consumable><manufacturedMaterial><code code="197806" displayName="ibuprofen 600 MG" codeSystemName="RxNorm" codeSystem="2.16"/></manufacturedMaterial></consumable>
<entryRelationship><observation><code displayName="Severity"/></observation></entryRelationship></substanceAdministration></entry></section></component></structuredBody></component></ClinicalDocument>"#;
    insta::assert_snapshot!(text(document), @"
    Visit
    Document type: Summary (34133-9)
    Date: 2013-08-01 05:00 -0800
    Patient ID: 99
    Patient address: Oslo, NO
    Patient: Eve Berg
    Patient date of birth: 1975-05-01

    Medications

    As told.

    Drug       Dose
    Ibuprofen  600 mg

    1. Rest
    2. Return

    Coded entries
    • substance Administration: negated true; status Code completed; effective Time low 2013-08-06; dose Quantity 600 mg; manufactured Material code ibuprofen 600 MG 197806 RxNorm
      • observation: code Severity
    ");
}

#[test]
fn entities_are_never_expanded_and_nothing_is_fetched() {
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY l0 \"ha\">{}]><a>&l9;</a>",
        (1..10)
            .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
            .collect::<String>()
    );
    assert_eq!(fault(&laughs), MarkupFault::OwnEntities);
    for external in [
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a b='&x;'>text</a>",
    ] {
        assert_eq!(fault(external), MarkupFault::OwnEntities);
    }
    assert_eq!(text("<!DOCTYPE a [<!ENTITY x SYSTEM \"http://127.0.0.1:9/\">]><a>seen</a>"), "a: seen\n");
}

#[test]
fn hostile_files_are_refused_or_read() {
    assert_eq!(fault(&"<a>".repeat(1_000_000)), MarkupFault::TooLarge);
    for malformed in ["<a><b>unclosed", "<a>x</b>", "<a b=\"x>text</a>", "<a>x < 5 & y</a>"] {
        assert!(matches!(fault(&format!("<?xml version='1.0'?>{malformed}")), MarkupFault::Malformed { .. }));
        // It never said that it is XML.
        assert_eq!(text(malformed), malformed);
    }
    assert_eq!(fault("<?xml version='1.0'?><a><b c=''/> <!-- hidden --></a>"), MarkupFault::NoText);
    let long = format!("<a b=\"{}\">x</a>", "y".repeat(4 << 20));
    assert!(text(&long).ends_with("a: x\n"));
}

#[test]
fn xml_is_told_by_its_beginning_and_end() {
    for xml in [
        "<?xml version='1.0'?><a/>",
        "\u{FEFF} <?xml version='1.0'?><a/>",
        "<!-- x --><!DOCTYPE article><article/>",
        "<!-- one --> <!-- two --> <f:a x='1'>b</f:a>\n",
    ] {
        assert!(is_xml(xml), "{xml}");
    }
    for other in [
        "plain",
        "<p align=center>\n# Title\nMarkdown",
        "< 5 mg",
        "<Dr. Berg> wrote",
        "<a@example.org> x",
        "<!-- open",
        "<a>x</b>",
        "<",
    ] {
        assert!(!is_xml(other), "{other}");
    }
}

proptest! {
    #[test]
    fn damaged_files_are_refused_or_read(at in 0..ORDER.len(), byte: u8, cut in 0..ORDER.len()) {
        let mut bytes = ORDER.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = read(&String::from_utf8_lossy(&bytes));
        bytes.truncate(cut);
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_markup_is_refused_or_read(xml in "(<a>|</a>|<b c='|'/>|&amp;|&x;|<!--|-->|<!\\[CDATA\\[|\\]\\]>|text|<\\?|>| ){0,40}") {
        let _ = (is_xml(&xml), read(&xml));
    }
}
