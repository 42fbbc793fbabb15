//! RTF files made for one question each.

use crate::PartRole;
use crate::office::test_packages::{png, read, read_any, refusal};
use proptest::prelude::*;

const HEAD: &str = r"\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\ftech\fcharset2 Wingdings;}{\f3\fcharset128 MS Mincho;}}{\colortbl;\red255\green255\blue255;\red31\green56\blue100;}{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s5\outlinelevel1 Our section;}}{\info{\author NOT READ}}";

fn text(body: &str) -> String {
    read(format!("{{{HEAD}{body}}}").into_bytes()).unwrap().text
}

#[test]
fn characters_are_those_of_their_code_page() {
    let body = r"\pard Gr\'f6\'dfe \u8805? 3\~mm, {\f1\'c4\'e0} {\f2\'fe} {\f3\'93\'fa} \u-10179?\u-8704?\uc2\u916??\emdash\_x\-y\par";
    assert_eq!(text(body), "Größe ≥ 3\u{a0}mm, Да ☑ 日 😀Δ—-xy\n");
    // Of a code page that is not known, nothing is guessed.
    assert_eq!(read(br"{\rtf1\pca caf\'82\par}".to_vec()).unwrap().text, "caf\u{fffd}\n");
}

#[test]
fn paragraphs_headings_lists_and_breaks_are_written_as_they_are_seen() {
    let body = r"{\header\pard Hospital\par}{\footer\pard Confidential\par}\pard\s1 Findings\par\pard\s5 Deeper\par
\pard Margins are
 free.\line Second\tab line\par
{\listtext\pard 1.\tab}\ilvl0 one\par{\listtext\pard a)\tab}\ilvl1 inner\par\pard 10{\super 9}/l{\footnote\pard {\super\chftn} Twice.}\par\page Next\sect\sbknone Same page\par";
    let own = read(format!("{{{HEAD}{body}}}").into_bytes()).unwrap();
    insta::assert_snapshot!(own.text.replace('\u{c}', "-----\n"), @"
    Hospital

    Findings

    Deeper

    Margins are free.
    Second  line

    1. one
      a) inner

    10⁹/l[1]
    -----
    Next

    Same page

    Confidential

    [1]  Twice.
    ");
    let roles: Vec<PartRole> = own.structure.iter().map(|part| part.role).collect();
    let heading = |level| PartRole::Heading { level };
    assert_eq!(roles, [heading(1), heading(2), PartRole::List, PartRole::Note]);
}

#[test]
fn cells_keep_their_columns() {
    let body = r"\trowd\cellx3000\cellx5000\cellx7000\pard\intbl Test\cell Result\cell Unit\cell\row
\trowd\cellx3000\cellx5000\cellx7000\pard\intbl Haemoglobin\cell\cell g/l\cell\row
\trowd\cellx5000\cellx7000\pard\intbl Over two\par lines\cell last\cell\row\pard Behind\par";
    insta::assert_snapshot!(text(body), @"
    Test         Result  Unit
    Haemoglobin          g/l
    Over two             last
    lines

    Behind
    ");
}

#[test]
fn what_no_eye_sees_is_not_read() {
    let body = r"\pard seen{\v HIDDEN}{\deleted GONE}{\cf1 WHITE}{\fs2 TINY} {\cf1\chcbpat2 white on dark}{\field{\*\fldinst PAGE}{\fldrslt  12}}{\pict\bin5 {{}}}}{\*\unknown NOT}{\object{\*\objdata 0102}{\result{ object}}}{\upr{ANSI}{\*\ud{ unicode}}}{\*\bkmkstart MARK}\par
{\shp{\*\shpinst{\sp{\sn SN}{\sv SV}}{\shptxt\pard In a box\par}}{\shprslt RESULT}}
\pard {\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres1}}}{\fldrslt}} yes {\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres0\ffdefres1}}}{\fldrslt}} no\par";
    assert_eq!(text(body), "seen white on dark 12 object unicode\n\nIn a box\n\n☒ yes ☐ no\n");
}

#[test]
fn hostile_files_are_refused_or_read() {
    let nested = format!("{{{HEAD}{}", "{".repeat(1_000_000));
    let cases = [
        refusal(nested.into_bytes()),
        refusal(format!("{{{HEAD}\\pard cut off").into_bytes()),
        refusal(format!("{{{HEAD}\\pard{{\\pict 00}}\\par}}").into_bytes()),
        refusal(br"{\rtf1\bin2147483647 x}".to_vec()),
        refusal(br"{\rtf".to_vec()),
    ];
    insta::assert_snapshot!(cases.join("\n"), @"
    the document is an RTF document with more text, or deeper in itself, than a document may have; split it
    the document begins as an RTF document, and is damaged; open it and save it again, or give its text
    the document is an RTF document that shows no text; check that this is the file you meant; if it shows pictures of text, save it as PDF and let its text be read first, for example with `ocrmypdf`
    the document begins as an RTF document, and is damaged; open it and save it again, or give its text
    the document begins as an RTF document, and is damaged; open it and save it again, or give its text
    ");
    // Notes and text boxes that end in each other's place lose nothing.
    let mixed = text(r"\pard a{\footnote b\footer c}{\*\shpinst\shptxt d}e\par");
    assert!(["a[1]", "[1] b", "c", "de"].iter().all(|part| mixed.contains(part)), "{mixed}");
}

proptest! {
    #[test]
    fn a_damaged_file_is_read_or_refused(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "\\par ", "\\cell ", "\\row ", "\\trowd\\cellx900 ", "\\intbl ", "\\u-3 ?", "\\'e4", "x", "\\footnote ",
            "\\footer ", "\\header ", "\\*\\shpinst ", "\\shptxt ", "\\listtext ", "\\upr ", "\\*\\ud ", "\\fonttbl ", "\\f2 ",
            "\\colortbl;", "\\stylesheet;", "\\s1 ", "\\page ", "\\sect ", "\\nestrow ", "\\cellx-99999999 ", "\\bin9 ", "\\super 1",
        ]), 0..60)
    ) {
        read_any(format!("{{{HEAD}{}}}", pieces.concat()).as_bytes());
    }
}

#[test]
fn pictures_that_may_hold_text_are_counted_where_they_are_seen() {
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let pictures = |body: &str| {
        let read = read(format!("{{{HEAD}\\pard Report\\par {body}}}").into_bytes()).unwrap();
        assert_eq!(read.text.trim(), "Report");
        read.structure.iter().filter(|part| part.role == PartRole::Picture).count()
    };
    let (logo, scan) = (hex(png(199, 2000)), hex(png(500, 400)));
    // However large a logo is shown, its pixels are what it has.
    assert_eq!(pictures(&format!("{{\\pict\\pngblip\\picwgoal9000\\pichgoal9000 {logo}}}")), 0);
    assert_eq!(pictures(&format!("{{\\pict\\pngblip {}}}", hex(png(499, 400)))), 0);
    assert_eq!(pictures(&format!("{{\\pict{{\\*\\blipuid 00ff}}\\pngblip\n{scan}}}")), 1);
    // As Word writes it: once for programs that know its kind, once for those that don't; and in a shape.
    assert_eq!(
        pictures(&format!(
            "{{\\*\\shppict{{\\pict\\pngblip {scan}}}}}{{\\nonshppict{{\\pict\\wmetafile8 {scan}}}}}{{\\shp{{\\*\\shpinst{{\\sp{{\\sn pib}}{{\\sv {{\\pict\\pngblip {scan}}}}}}}}}}}"
        )),
        2
    );
    for unseen in
        ["{\\v {\\pict\\pngblip ", "{\\deleted{\\pict\\pngblip ", "{\\*\\listpicture{\\pict\\pngblip "]
    {
        assert_eq!(pictures(&format!("{unseen}{scan}}}}}")), 0, "{unseen}");
    }
    // A link to another file has its size only.
    let sized = |words: &str| pictures(&format!("{{\\pict\\pngblip{words} }}"));
    assert_eq!(sized("\\picwgoal7500\\pichgoal6000"), 1);
    assert_eq!(sized("\\picw5000\\pich5000\\picwgoal1500\\pichgoal900"), 0);
    assert_eq!((sized("\\picw500\\pich400"), sized("\\picw-500\\pich400"), sized("")), (1, 0, 0));
    // Bytes as they are, which may look like groups.
    let mut file =
        format!("{{{HEAD}\\pard Report\\par{{\\pict\\pngblip\\bin{} ", png(500, 400).len()).into_bytes();
    file.extend([png(500, 400), b"}}".to_vec()].concat());
    assert_eq!(read(file).unwrap().structure.iter().filter(|part| part.role == PartRole::Picture).count(), 1);
}
