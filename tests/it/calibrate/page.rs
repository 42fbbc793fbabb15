//! `loopctl calibrate --report`: the page of a calibration.

use super::labels::{CLINIC, calibrate, clinic_labels, labels, place};

/// The texts of the elements that begin so.
fn texts<'p>(page: &'p str, begin: &str) -> Vec<&'p str> {
    let text = |rest: &'p str| {
        rest.split_once('>').and_then(|(_, rest)| rest.split_once("</")).map(|(text, _)| text)
    };
    page.split(begin).skip(1).filter_map(text).collect()
}

#[test]
fn a_page_shows_the_promise_the_thresholds_and_what_is_missing() {
    let place = place(CLINIC);
    let ran = calibrate(&place, &clinic_labels(), &["--report", "page.html", "--format", "text"]).exits(0);
    let page = place.read("page.html").replace("&#96;", "`");
    for outside in ["<script", "src=", "href=", "url(", "://"] {
        assert!(!page.contains(outside), "{outside}: {page}");
    }
    // Each type has its promise, or what is missing for it, as the text has them.
    let promises: Vec<&str> = page.split("class=\"promise ").skip(1).collect();
    let [pathology, radiology] = promises[..] else { panic!("{page}") };
    assert!(pathology.starts_with("passed") && radiology.starts_with("review"), "{page}");
    let statement = ran.out.lines().map(str::trim).find(|line| line.starts_with("Of documents")).unwrap();
    assert!(pathology.contains(statement), "{statement}: {pathology}");
    assert!(radiology.contains("Nothing can be certified of documents of the type `radiology`"));
    let lines = ran.out.lines().map(str::trim);
    let missing: Vec<&str> =
        lines.filter(|line| line.starts_with("it takes") || line.starts_with("if as many")).collect();
    assert_eq!(missing.len(), 2, "{}", ran.out);
    for line in missing {
        assert!(radiology.contains(line), "{line}: {radiology}");
    }
    // The plot marks the certified threshold with its bound, and the table has each threshold.
    assert_eq!(page.matches("<svg class=\"plot").count(), 2);
    assert!(
        texts(pathology, "<g class=\"passed\"").iter().any(|title| title.contains("certified")),
        "{pathology}"
    );
    assert!(!radiology.contains("<g class=\"passed\""));
    assert_eq!(pathology.matches("<circle class=\"dot\"").count(), 3 + 1, "{pathology}");
    for row in ["≥ 0.98", "≥ 0.95", "≥ 0.90"] {
        assert!(pathology.contains(&format!("<bdi>{row}</bdi>")), "{row}: {pathology}");
    }
    assert_eq!(page.matches("<tr class=\"certified\"").count(), 1);
    assert!(
        page.contains("promised: at most 5 %") && page.contains("95 % confidence is that of all statements")
    );
}

#[test]
fn a_page_of_nothing_certified_says_how_many_more_reviews_it_takes() {
    let place = place(CLINIC);
    let few = labels("pathology", 0.99, 20, 0);
    calibrate(&place, &few, &["--report", "page.html", "--format", "text"]).exits(3);
    let page = place.read("page.html").replace("&#96;", "`");
    assert!(page.contains("<strong>nothing</strong><span>some 39 more documents to draw</span>"), "{page}");
    assert!(page.contains("it takes at least 59 reviewed and accepted documents if none of them is wrong"));
    assert!(!page.contains("<g class=\"passed\""));
}

#[test]
fn a_report_takes_the_place_of_nothing_that_it_is_made_from() {
    let place = place(CLINIC);
    for (report, what) in
        [("labels.jsonl", "labels"), ("./profiles/clinic.yaml", "profile"), ("c.json", "certificate")]
    {
        let words = ["--out", "c.json", "--report", report];
        calibrate(&place, &clinic_labels(), &words).exits(2).says(&["would overwrite the", what]);
    }
    let words = ["calibrate", "--profile", "clinic", "--report", "page.html"];
    place.run(&words).exits(2).says(&["`--report` shows labels against thresholds"]);
    assert!(!place.path("page.html").exists() && !place.path("c.json").exists());
}
