//! Answers of a process that a file has taken over: what does not fit itself is no answer.
#![cfg(unix)]

#[path = "kept_corpus/answers.rs"]
mod answers;

use answers::AnsweredReader;

/// Pages of a text of fourteen bytes, with these words and parts.
fn text(page: &str, words: &str, structure: &str) -> String {
    format!(
        r#"{{"text":{{"text":"Größe: 30 mm","pages":[{{"width":400.0,"height":300.0,"text":{page},"words":{words},"is_picture":false}}],"structure":{structure}}}}}"#
    )
}

const PAGE: &str = r#"{"start":0,"end":14}"#;
const WORD: &str = "[[0,8,[30.0,20.0,50.0,10.0]],[9,11,[90.0,20.0,20.0,10.0]]]";

#[test]
fn an_answer_that_fits_itself_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let reader = AnsweredReader::in_folder(folder.path());
    let part = r#"[{"text":{"start":0,"end":8},"role":{"heading":{"level":1}}}]"#;
    let document = reader.document(format!("{}\n", text(PAGE, WORD, part)).as_bytes()).unwrap();
    assert_eq!(document.text.unwrap().as_str(), "Größe: 30 mm");
    assert_eq!(document.pages.unwrap().iter().flat_map(|page| &page.words).count(), 2);
    let document = reader.document(b"{\"page_count\":{\"pages\":3}}\n").unwrap();
    assert_eq!(document.pages.unwrap().len(), 3);
}

#[test]
fn an_answer_that_does_not_fit_itself_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let reader = AnsweredReader::in_folder(folder.path());
    let outside = r#"{"start":0,"end":15}"#;
    let answers = [
        // A page beyond the text, and one that ends before it begins.
        text(outside, "[]", "[]"),
        text(r#"{"start":9,"end":2}"#, "[]", "[]"),
        // Words beyond the text, within a character, empty, out of order, off the page's text, and without a place.
        text(PAGE, "[[0,99,[1.0,1.0,1.0,1.0]]]", "[]"),
        text(PAGE, "[[0,3,[1.0,1.0,1.0,1.0]]]", "[]"),
        text(PAGE, "[[4,4,[1.0,1.0,1.0,1.0]]]", "[]"),
        text(PAGE, "[[9,11,[1.0,1.0,1.0,1.0]],[0,8,[1.0,1.0,1.0,1.0]]]", "[]"),
        text(r#"{"start":0,"end":8}"#, "[[9,11,[1.0,1.0,1.0,1.0]]]", "[]"),
        text(PAGE, "[[0,8,[1e39,1.0,1.0,1.0]]]", "[]"),
        text(PAGE, "[[0,8,[1.0,1.0,-1.0,1.0]]]", "[]"),
        // Parts beyond the text and within a character.
        text(PAGE, "[]", &format!(r#"[{{"text":{outside},"role":"table"}}]"#)),
        text(PAGE, "[]", r#"[{"text":{"start":0,"end":3},"role":"table"}]"#),
        // More pages than memory has room for.
        r#"{"page_count":{"pages":18446744073709551615}}"#.to_owned(),
    ];
    for answer in answers {
        let document = reader.document(format!("{answer}\n").as_bytes()).unwrap();
        let why = document.text.unwrap_err().to_string();
        assert!(why.contains("its reader gave no answer"), "{answer}: {why}");
        assert!(document.pages.is_none(), "{answer}");
    }
}
