//! Wordings that once were read wrongly: each with the right value, and one that the passage does not say.

use super::evidence::{assessed, support};
use loopctl::score::Support;
use serde_json::{Value, json};

/// A text, a field, its value, the quote for it, another value, and the quote that would mislead.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const ROWS: [Row; 18] = [
    // The document's own dates tell whether the day or the month comes first.
    (
        "Seen on 5/21/93. MRI on 10/8/93 was normal.",
        "mriDate",
        "1993-10-08",
        "MRI on 10/8/93",
        "1993-08-10",
        "MRI on 10/8/93",
    ),
    // A date is that of the sentence which names what happened.
    (
        "On 11/23/92 he underwent tracheostomy. On 12/11/92 a prosthesis was implanted.",
        "tracheostomyDate",
        "1992-11-23",
        "On 11/23/92 he underwent tracheostomy",
        "1992-12-11",
        "On 12/11/92 a prosthesis was implanted",
    ),
    (
        "She was diagnosed in April 2008.",
        "diagnosisDate",
        "2008-04",
        "diagnosed in April 2008",
        "2008-05",
        "diagnosed in April 2008",
    ),
    (
        "DOE^JANE||19241010|F",
        "birthDate",
        "1924-10-10",
        "DOE^JANE||19241010|F",
        "1924-10-11",
        "DOE^JANE||19241010|F",
    ),
    // A bound or one end of a range is not the number.
    ("Ki-67: <10%.", "ki67", "<10%", "Ki-67: <10%", "10%", "Ki-67: <10%"),
    ("Ki-67 ranges from 4% to 9%.", "ki67", "4% to 9%", "Ki-67 ranges from 4% to 9%", "9%", "to 9%"),
    (
        "The Ki-67 index is 30 to 40%.",
        "ki67Percent",
        "30-40",
        "Ki-67 index is 30 to 40%",
        "30-50",
        "Ki-67 index is 30 to 40%",
    ),
    // Of two things that are mentioned together, neither is said.
    (
        "ER (positive or negative): see comment. Comment: ER is negative.",
        "ER",
        "negative",
        "ER is negative",
        "positive",
        "ER (positive or negative)",
    ),
    (
        "Attempted laparoscopic cholecystectomy. Open cholecystectomy was performed.",
        "operationDone",
        "open cholecystectomy",
        "Open cholecystectomy was performed",
        "laparoscopic cholecystectomy",
        "Attempted laparoscopic cholecystectomy",
    ),
    // Areas and doses have units, too.
    (
        "The valve area is 1.2 cm2.",
        "valveArea",
        "1.2 cm2",
        "valve area is 1.2 cm2",
        "1.2 mm2",
        "valve area is 1.2 cm2",
    ),
    (
        "He received 5040cGy in 28 fractions.",
        "radiationDose",
        "5040 cGy",
        "received 5040cGy",
        "5040 mGy",
        "received 5040cGy",
    ),
    // A scanned line ends with a full stop that ends no sentence, and a word alone is the value of what precedes it.
    (
        "The inflammation may be the result of. Embolic procedure.",
        "inflammationCause",
        "possibly embolic procedure",
        "may be the result of. Embolic procedure",
        "embolic procedure",
        "may be the result of. Embolic procedure",
    ),
    ("ER. Positive. PR. Negative.", "PR", "negative", "PR. Negative", "positive", "ER. Positive"),
    // To name the serosa is not to name its involvement.
    (
        "The serosa is puckered. Serosal involvement is not identified.",
        "serosalInvolvement",
        "absent",
        "Serosal involvement is not identified",
        "present",
        "The serosa is puckered",
    ),
    (
        "Extranodal extension: Unknown.",
        "extranodalExtension",
        "unknown",
        "Extranodal extension: Unknown",
        "present",
        "Extranodal extension: Unknown",
    ),
    // Of two arteries or tumors, each has its own.
    (
        "There is 70% stenosis of the right internal carotid artery and 60% stenosis of the right external carotid artery.",
        "externalCarotidStenosisPercent",
        "60%",
        "60% stenosis of the right external carotid artery",
        "70%",
        "70% stenosis of the right internal carotid artery",
    ),
    (
        "Dominant tumor: 2.4 cm, right lobe. Second tumor: 0.2 cm, left lobe.",
        "secondTumorLaterality",
        "left",
        "Second tumor: 0.2 cm, left lobe",
        "right",
        "Dominant tumor: 2.4 cm, right lobe",
    ),
    // Of counts in words, the first is that of the part.
    (
        "Three of nine lymph nodes are positive for carcinoma.",
        "nodesExamined",
        "9",
        "Three of nine lymph nodes",
        "3",
        "Three of nine lymph nodes",
    ),
];

#[test]
fn each_wording_says_its_value_and_no_other() {
    let mut verified = 0;
    for (text, field, right, quote, wrong, misleading) in ROWS {
        let path = format!("/{field}");
        let said = support(text, &json!({ field: right }), &path, Some(quote));
        assert!(is_not_refused(said.0), "{field}: {right} in {text:?}: {said:?}");
        verified += usize::from(said.0 == Support::Verified);
        let said = support(text, &json!({ field: wrong }), &path, Some(misleading));
        assert_ne!(said.0, Support::Verified, "{field}: {wrong} in {text:?}: {said:?}");
    }
    assert!(verified * 10 >= ROWS.len() * 6, "{verified} of {} are verified", ROWS.len());
}

/// If a right value may have this support: what is in doubt is left undecided, and never called wrong.
fn is_not_refused(support: Support) -> bool {
    matches!(support, Support::Verified | Support::Undecided)
}

/// Texts in which a right value was once refused: the text, the field, its value, and the quote.
const RIGHT: [(&str, &str, &str, &str); 9] = [
    (
        "CT REPORT\n\nDate of study: 12 March 2025\nFINDINGS: normal.",
        "date",
        "12 March 2025",
        "12 March 2025",
    ),
    (
        "Surgical margins free of tumor with nearest margin to the tumor 0.5 cm, the deep margin.",
        "closestMarginSite",
        "deep",
        "the deep margin",
    ),
    (
        "The carcinoma involves 70% of the examined volume.",
        "percentInvolved",
        "70",
        "involves 70% of the examined volume",
    ),
    (
        "Tumor is about 0.9 cm from the liver resection margin.",
        "marginDistanceMm",
        "9",
        "0.9 cm from the liver resection margin",
    ),
    (
        "An MRI of the T spine, 10/26/96, showed a syrinx.",
        "spineMriDate",
        "1996-10-26",
        "MRI of the T spine, 10/26/96",
    ),
    (
        "No swelling was noted and he had mild epididymal edema.",
        "epididymalEdema",
        "mild",
        "he had mild epididymal edema",
    ),
    ("Hemoglobin dropped from 14.1 on 6/8 to 12.9 on 7/19.", "latestHemoglobin", "12.9", "to 12.9 on 7/19"),
    (
        "HISTORY OF PRESENT ILLNESS: An anastomotic stricture was found.",
        "anastomoticStricture",
        "present",
        "An anastomotic stricture was found",
    ),
    ("Regional lymph nodes: pNO.", "pN", "pN0", "Regional lymph nodes: pNO"),
];

#[test]
fn what_is_right_is_not_refused_for_what_stands_beside_it() {
    for (text, field, right, quote) in RIGHT {
        let said = support(text, &json!({ field: right }), &format!("/{field}"), Some(quote));
        assert!(is_not_refused(said.0), "{field}: {right} in {text:?}: {said:?}");
    }
}

const LISTED: &str = "GROSS DESCRIPTION: SMA margin close.\n\nFINAL DIAGNOSIS:\nMargins:\n- Pancreatic neck: Negative\n- Bile duct: Negative\n- Uncinate: Positive (0 mm)\n\nGrade: 2\n";

/// The support of margins in [`LISTED`].
fn margins(value: &str) -> Option<Support> {
    let out = assessed("pathology", LISTED, &json!({ "margins": value }));
    out.evidence.iter().find(|(at, _)| *at == "/margins").map(|(_, leaf)| leaf.support)
}

#[test]
fn each_item_of_a_list_below_a_name_is_a_mention() {
    assert_ne!(margins("negative"), Some(Support::Verified));
    let is_open = |support| matches!(support, Some(Support::Verified | Support::Undecided));
    assert!(is_open(margins("positive")) && is_open(margins("Uncinate: Positive (0 mm)")));
}

/// Of `Perirenal fat: negative` the name alone, and a text that a scan's full stop has cut.
#[test]
fn a_value_that_ends_before_its_verdict_is_not_verified() {
    for (text, cut, whole) in [
        (
            "DIAGNOSIS: Carcinoma. Surgical margins: Perirenal fat: Negative. Renal vein: Negative.",
            "Perirenal fat",
            "Perirenal fat: Negative",
        ),
        (
            "DIAGNOSIS: Carcinoma. Margins: The bronchial and vascular margins. are negative. Nodes: none.",
            "The bronchial and vascular margins",
            "The bronchial and vascular margins. are negative",
        ),
        (
            "DIAGNOSIS: Carcinoma. Surgical margins: Pancreas: Blue inked pancreatic surgical margin, focally close.",
            "Pancreas",
            "Pancreas: Blue inked pancreatic surgical margin, focally close",
        ),
    ] {
        let said = |value: &str| support(text, &json!({ "margins": value }), "/margins", None);
        assert_ne!(said(cut).0, Support::Verified, "{cut}");
        assert_eq!(said(whole).0, Support::Verified, "{whole}");
    }
    let text = "DIAGNOSIS: Carcinoma. Margins: cannot be assessed. Involved nodes: none.";
    assert_eq!(
        support(text, &json!({"margins": "cannot be assessed"}), "/margins", None).0,
        Support::Verified
    );
}

#[test]
fn that_a_margin_is_named_does_not_say_that_it_is_involved() {
    let text = "SPECIMENS: A. Right leg. B. Sciatic nerve margin.\nDIAGNOSIS: A. Sarcoma. B. Nerve, negative for tumor.";
    let out: Value = json!({"sciaticNerveMargin": "negative"});
    let said = support(text, &out, "/sciaticNerveMargin", Some("B. Nerve, negative for tumor"));
    assert_ne!(said.0, Support::Contradicted, "{said:?}");
}
