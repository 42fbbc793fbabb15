//! What is grounded in which sentence, and what must never be.

use serde_json::{Value, json};

use super::*;

fn vocabulary() -> Vocabulary {
    let fields: [(&str, &[&str]); 14] = [
        ("ER", &["estrogen receptor", "oestrogen receptor", "Östrojen Reseptörü"]),
        ("PR", &["progesterone receptor", "PgR", "Progesteron Reseptörü"]),
        ("HER2", &["HER2/neu", "c-erbB-2"]),
        ("grade", &["histologic grade", "tumor grade", "differentiated", "grado", "derece", "graad"]),
        ("histology", &["histologic type", "diagnosis", "tipo histológico", "histolojik tip"]),
        ("margins", &["surgical margins", "márgenes", "cerrahi sınırlar", "snijvlakken"]),
        ("tmb", &["tumor mutational burden"]),
        ("msiStatus", &["microsatellite status", "MSI"]),
        ("ihcMarkers", &["immunohistochemistry"]),
        ("tumorSize", &["tumor size", "tamaño", "tumorgrootte"]),
        ("date", &["report date", "fecha"]),
        ("rawText", &[]),
        ("lymphNodes", &["nodes"]),
        ("distance", &["closest margin"]),
    ];
    Vocabulary::new(fields.into_iter().map(|(field, names)| (field, names.iter().copied())))
}

/// The match of `value` under the pointer-like path `path` (dots) in `text`.
fn at(text: &str, path: &str, value: Value) -> Option<Match> {
    let vocabulary = vocabulary();
    let source = SourceIndex::new(text, &vocabulary);
    let candidate = path.rsplit('.').fold(value, |inner, key| json!({ key: inner }));
    let mut found = None;
    Grounder::ground_all(
        &candidate,
        &vocabulary,
        &source,
        Settings::default(),
        &mut Scratch::default(),
        &crate::value::Fuel::of(u64::MAX),
        |_, result| found = result,
    );
    found
}

fn text_of<'t>(text: &'t str, found: &Match) -> &'t str {
    let chars: String = text.chars().skip(found.chars.start).take(found.chars.len()).collect();
    assert_eq!(chars, text[found.bytes.clone()], "characters and bytes disagree");
    &text[found.bytes.clone()]
}

#[track_caller]
fn finds(text: &str, path: &str, value: impl Into<Value>, expected: &str, method: Method) {
    let value = value.into();
    let found =
        at(text, path, value.clone()).unwrap_or_else(|| panic!("{path}: {value} not found in {text:?}"));
    assert_eq!((text_of(text, &found), found.method), (expected, method), "{path}: {value} in {text:?}");
}

#[track_caller]
fn misses(text: &str, path: &str, value: impl Into<Value>) {
    let value = value.into();
    let found = at(text, path, value.clone());
    assert_eq!(found, None, "{path}: {value} in {text:?}");
}

#[test]
fn a_value_is_never_part_of_a_word_or_number() {
    for text in [
        "grade 2024",
        "grade G12",
        "grade 12",
        "Grade: 2nd",
        "grade 0.2",
        "grade 2.5",
        "seen 2024-2-12",
        "Ki-2",
        "grade: H2O",
        "grade 3+2x",
    ] {
        misses(text, "grade", "2");
        misses(text, "grade", 2);
    }
    for text in ["grade II", "grade invasive", "grade III", "grade I-II"] {
        misses(text, "grade", "I");
    }
    finds("Grade: I. Invasive.", "grade", "I", "I", Method::Exact);
    misses("HER2: 2+", "HER2", 2);
    misses("HER2: 2+", "HER2", "2");
    finds("HER2: 2+ by IHC", "HER2", "2+", "2+", Method::Exact);
    misses("non-small cell carcinoma", "histology", "small cell carcinoma");
    misses("adeno-\ncarcinoma", "histology", "carcinoma");
    misses("Diagnosis: adenocarcinoma", "histology", "carcinoma");
    misses("Dose 5 mg/kg daily", "dose", "5 mg");
    misses("born 12.03.2024, grade unknown", "grade", 12);
    misses("GRADE\n1. Adenocarcinoma", "grade", "1");
    misses("levels: grade 1-2", "grade", "2");
    misses("High grade carcinoma in 3 lymph nodes", "grade", 3);
    misses("High grade tumor measuring 3 cm", "grade", 3);
    misses("Grade 2, 3 cm", "grade", "3");
}

#[test]
fn short_values_need_their_own_name() {
    let text = "ER: positive, PR: negative";
    misses(text, "ihcMarkers.ER", "negative");
    misses(text, "ihcMarkers.PR", "positive");
    finds(text, "ihcMarkers.ER", "positive", "positive", Method::Exact);
    finds(text, "ihcMarkers.PR", "negative", "negative", Method::Exact);

    for field in ["ER", "PR"] {
        finds("ER and PR are negative.", field, "negative", "negative", Method::Exact);
        finds("ER/PR negative.", field, "negative", "negative", Method::Exact);
        finds("Negative for ER and PR.", field, "negative", "Negative", Method::Normalized);
        finds("Negative: ER, PR.", field, "negative", "Negative", Method::Normalized);
        misses("ER and PR are negative.", field, "positive");
    }
    finds("ER negative. PR positive", "ER", "negative", "negative", Method::Exact);
    misses("ER negative. PR positive", "ER", "positive");
    misses("ER negative. PR positive", "PR", "negative");

    let text = "estrogen receptor (ER) 90% positive; PR: negative";
    finds(text, "ER", "positive", "positive", Method::Exact);
    finds(text, "ER", "90%", "90%", Method::Exact);
    finds(text, "ER", 90, "90", Method::Exact);
    misses(text, "ER", "negative");
    misses(text, "PR", "positive");
    misses(text, "PR", "90%");

    misses("HER2 negative", "ER", "negative");
    misses("CD117 negative", "ER", "negative");
    misses("ER positive, CD117 negative", "ER", "negative");
    misses("ER pending CD117 negative", "ER", "negative");
    misses("Positive ER and negative PR", "ER", "negative");
    finds("Positive ER and negative PR", "ER", "positive", "Positive", Method::Normalized);
    finds("Positive ER and negative PR", "PR", "negative", "negative", Method::Exact);
    misses("positive ER negative PR", "ER", "negative");
    finds("ER positive PR negative", "PR", "negative", "negative", Method::Exact);
    misses("ER positive PR negative", "ER", "negative");
    misses("PR positive ER negative", "ER", "positive");
    misses("The patient is negative.", "ER", "negative");
    misses("ER: positive (negative control reactive)", "ER", "negative");
    misses("ER see comment, margins negative", "ER", "negative");
    misses("ER: see comment\nLymph nodes negative", "ER", "negative");
    finds("ER-positive, HER2-negative carcinoma", "ER", "positive", "positive", Method::Exact);
    misses("ER-positive, HER2-negative carcinoma", "ER", "negative");
    finds("ER is diffusely and strongly positive", "ER", "positive", "positive", Method::Exact);
    finds("ER\tnegative\r\nPR\tpositive\r\n", "ER", "negative", "negative", Method::Exact);
    misses("ER\tnegative\r\nPR\tpositive\r\n", "ER", "positive");
    misses("er is geen tumor, negative", "ER", "negative");
    finds("Immunohistochemistry: ER is positive", "ihcMarkers.ER", "positive", "positive", Method::Exact);
    finds("ER: negative\nPR: negative", "PR", "negative", "negative", Method::Exact);
}

#[test]
fn denial_is_not_evidence() {
    misses("ER is not positive", "ER", "positive");
    misses("ER not clearly positive", "ER", "positive");
    misses("Margins: no positive margins", "margins", "positive");
    misses("ER pozitif değil", "ER", "pozitif");
    misses("ER: [ ] positive [x] negative", "ER", "positive");
    misses("ER (positive/negative): see report", "ER", "positive");
    misses("ER: positive or negative", "ER", "positive");
    misses("HER2 not amplified", "HER2", "amplified");
    finds("HER2 not amplified", "HER2", "not amplified", "not amplified", Method::Exact);
    finds(
        "There is no lymphovascular invasion.",
        "lvi",
        "lymphovascular invasion",
        "lymphovascular invasion",
        Method::Exact,
    );
    misses("margin negative for carcinoma", "margins", "positive");
    misses("margin negative for carcinoma", "margins", "positive for carcinoma");
}

#[test]
fn siblings_and_labels_name_values() {
    let vocabulary = vocabulary();
    let text =
        "Hemoglobin 13.5 g/dL (12.0-16.0)\nWBC 7.2 K/uL\nTumor size 1.2 cm; nodule in right kidney: 3 mm";
    let source = SourceIndex::new(text, &vocabulary);
    let candidate = json!({"labValues": [
        {"name": "Hemoglobin", "value": 13.5, "unit": "g/dL"}, {"name": "WBC", "value": 13.5}, {"test": "WBC", "value": "7.2"}, {"name": "Hemoglobin", "value": 12.0},
    ], "measurements": [{"location": "right kidney", "size": "3 mm"}, {"location": "right kidney", "size": "1.2 cm"}]});
    let mut found = Vec::new();
    Grounder::ground_all(
        &candidate,
        &vocabulary,
        &source,
        Settings::default(),
        &mut Scratch::default(),
        &crate::value::Fuel::of(u64::MAX),
        |leaf, result| {
            found.push((leaf.pointer.to_owned(), result.map(|found| text[found.bytes].to_owned())));
        },
    );
    let get = |pointer: &str| found.iter().find(|(at, _)| at == pointer).unwrap().1.as_deref();
    assert_eq!(get("/labValues/0/value"), Some("13.5"));
    assert_eq!(get("/labValues/1/value"), None, "another row's value");
    assert_eq!(get("/labValues/2/value"), Some("7.2"));
    assert_eq!(get("/labValues/3/value"), None, "the reference range");
    assert_eq!(get("/measurements/0/size"), Some("3 mm"));
    assert_eq!(get("/measurements/1/size"), None, "another field's size");
}

#[test]
fn numbers_are_equal_in_their_units() {
    finds("Tumor size: 3 mm.", "tumorSize", "0.3 cm", "3 mm", Method::Numeric);
    finds("Tumor size: 1,5 cm.", "tumorSize", "15 mm", "1,5 cm", Method::Numeric);
    finds("Tumor size: 1,5 cm.", "tumorSize", "1,5 cm", "1,5 cm", Method::Exact);
    finds("Tumor size: .5 cm", "tumorSize", "0.5 cm", ".5 cm", Method::Numeric);
    finds("Tumor size 2.5 x 1x 0.8 cm", "tumorSize", "25 x 10 x 8 mm", "2.5 x 1x 0.8 cm", Method::Numeric);
    finds("Tumor size 13x12x7 cm", "tumorSize", "13 x 12 x 7 cm", "13x12x7 cm", Method::Normalized);
    finds("Tumor size: 3 cm", "tumorSize", 3, "3", Method::Exact);
    finds("Tumor size: 3 cm", "tumorSizeMm", 30, "3", Method::Numeric);
    misses("Tumor size: 3 cm", "tumorSizeMm", 3);
    misses("Tumor size: 3 cm", "tumorSize", "3 mm");
    misses("Tumor size: 3", "tumorSize", "3 mm");
    misses("Tumor size: 0.3 kg", "tumorSize", "0.3 cm");
    misses("Tumor size: < 3 mm", "tumorSize", "3 mm");
    misses("less than 3 mm", "tumorSize", "3 mm");
    misses("Tumor size: 3.5 cm", "tumorSize", "5 cm");
    misses("Tumor size: .5 cm", "tumorSize", "5 cm");
    misses("Distance: 13.5 g/L", "hemoglobin", "13.5 g/dL");
    finds("TMB: 12.50 mut/Mb", "tmb", 12.5, "12.50", Method::Numeric);
    finds("tumor mutational burden of 12.5 mutations/Mb", "tmb", 12.5, "12.5", Method::Exact);
    misses("TMB: -5", "tmb", 5);
    finds("TMB: -5", "tmb", -5, "-5", Method::Exact);
    misses("weight 1,500 g, TMB low", "tmb", 1.5);
    misses("TMB 10⁹", "tmb", 10);
    misses("TMB 1½", "tmb", 1);
    finds("TMB: 1,500", "tmb", 1500, "1,500", Method::Numeric);
    misses("TMB: 1,500", "tmb", 1.5);
    finds("Lymph nodes: 3/18", "lymphNodes", 3, "3", Method::Exact);
    misses("Lymph nodes: 3/18", "lymphNodes", 18);
    misses("TMB 9007199254740993", "tmb", 9_007_199_254_740_992_u64);
}

#[test]
fn dates_are_found_as_written() {
    for (text, expected) in [
        ("Report date: 2024-03-01.", "2024-03-01"),
        ("Report date: March 1, 2024.", "March 1, 2024"),
        ("Report date: 03/01/2024", "03/01/2024"),
        ("Report date: 01.03.2024", "01.03.2024"),
        ("Fecha: 1 de marzo de 2024", "1 de marzo de 2024"),
        ("1 Mart 2024", "1 Mart 2024"),
    ] {
        let method = if expected == "2024-03-01" { Method::Exact } else { Method::Numeric };
        finds(text, "date", "2024-03-01", expected, method);
    }
    for text in ["03.01.2024", "2024-03-02", "March 11, 2024", "March 1, 2023", "3/1/20241"] {
        misses(text, "date", "2024-03-01");
    }
}

#[test]
fn spelling_does_not_matter() {
    finds(
        "Invasive  DUCTAL\r\n carcinoma",
        "histology",
        "invasive ductal carcinoma",
        "Invasive  DUCTAL\r\n carcinoma",
        Method::Normalized,
    );
    finds(
        "adenocarci-\n   noma of the colon",
        "histology",
        "Adenocarcinoma",
        "adenocarci-\n   noma",
        Method::Normalized,
    );
    finds(
        "a well-\ndifferentiated liposarcoma",
        "histology",
        "well differentiated liposarcoma",
        "well-\ndifferentiated liposarcoma",
        Method::Normalized,
    );
    finds("adeno\u{ad}carcinoma", "histology", "adenocarcinoma", "adeno\u{ad}carcinoma", Method::Normalized);
    finds(
        "in\u{fb01}ltrating carcinoma – “NOS”",
        "histology",
        "infiltrating carcinoma - \"NOS\"",
        "in\u{fb01}ltrating carcinoma – “NOS",
        Method::Normalized,
    );
    finds(
        "HİSTOLOJİK TİP: İnvaziv karsinom",
        "histology",
        "invaziv karsinom",
        "İnvaziv karsinom",
        Method::Normalized,
    );
    finds(
        "KARSINOM YAYILIMI, dağınık",
        "histology",
        "karsınom yayılımı",
        "KARSINOM YAYILIMI",
        Method::Normalized,
    );
    finds("Östrojen Reseptörü (ER): Pozitif, %90, güçlü boyanma", "ER", "90%", "%90", Method::Normalized);
    finds(
        "Östrojen Reseptörü (ER): Pozitif, %90, güçlü boyanma",
        "ER",
        "pozitif",
        "Pozitif",
        Method::Normalized,
    );
    finds("Márgenes libres. Invasión linfovascular presente.", "margins", "libres", "libres", Method::Exact);
    finds(
        "Infiltración pericolónica",
        "x",
        "infiltracion pericolonica",
        "Infiltración pericolónica",
        Method::Normalized,
    );
    finds("Snijvlakken: vrij. Reëel carcinoom", "margins", "vrij", "vrij", Method::Exact);
    finds(
        "Carcinome\u{301} épithélial",
        "x",
        "carcinomé epithelial",
        "Carcinome\u{301} épithélial",
        Method::Normalized,
    );
    finds("病理診断：腺癌を認める", "x", "腺癌を認める", "腺癌を認める", Method::Exact);
}

#[test]
fn scanning_errors_are_forgiven_within_the_bound() {
    finds(
        "MGMT Promoter Methvlation",
        "x",
        "MGMT promoter methylation",
        "MGMT Promoter Methvlation",
        Method::Fuzzy,
    );
    finds(
        "moderate adenocarcinorna of the colon",
        "x",
        "adenocarcinoma of the colon",
        "adenocarcinorna of the colon",
        Method::Fuzzy,
    );
    misses("asymptomatic cholelithiasis", "x", "symptomatic cholelithiasis");
    misses("intraorbital haemorrhage", "x", "infraorbital haemorrhage");
    misses("Gleason score 9 adenocarcinorna", "x", "Gleason score 8 adenocarcinoma");
    misses("no adenocarcinorna here", "x", "yes adenocarcinoma here");
    misses("hypotension treated", "x", "hypertension treated");
}

#[test]
fn a_value_that_names_its_field_needs_no_other_name() {
    let text = "Sigmoid colon: adenocarcinoma, moderately differentiated. HER2 negative.";
    finds(text, "grade", "Moderately differentiated", "moderately differentiated", Method::Normalized);
    misses(text, "ihcMarkers.ER", "moderately differentiated");
    misses(text, "ihcMarkers.ER", "HER2 negative");
    misses("Not poorly differentiated", "grade", "poorly");
    finds("Tumor grade II.", "grade", "Grade II", "grade II", Method::Normalized);
    misses("Tumor grade III.", "grade", "Grade II");
}

#[test]
fn dates_and_codes_speak_for_themselves() {
    finds("issued = 2016-09-06T00:00:00, ER negative", "date", "2016-09-06", "2016-09-06", Method::Exact);
    finds("Margins at 10-22-2013 2:26p", "date", "10-22-2013", "10-22-2013", Method::Exact);
    misses("Margins at 10-22-2013 2:26p", "date", "10-22-2014");
    misses("no. 110-22-2013", "date", "10-22-2013");
    finds("#NM_000106.5:c.886C>T\n", "x", "NM_000106.5:c.886C>T", "NM_000106.5:c.886C>T", Method::Exact);
    misses("#NM_000106.5:c.886C>T\n", "x", "NM_000106.5:c.886C>G");
    finds("\"cdsChange\": \"1934delG\",", "variant", "1934delG", "1934delG", Method::Exact);
    finds("\"cdsChange\": \"145C>T\",", "variant", "145C>T", "145C>T", Method::Exact);
    misses("\"cdsChange\": \"2145C>T\",", "variant", "145C>T");
    misses("\"cdsChange\": \"1934delG\",", "variant", "934delG");
}

#[test]
fn the_first_cell_names_its_row() {
    let text = "Test | Value | Flag\nChlamydia rRNA | Negative | Normal\nNeisseria rRNA | Positive | Abnormal\n\
                Platelets [#/volume] in Blood | 152 | > 500\n";
    let row = |test: &str, value: &str| {
        let candidate = json!({ "labValues": [{ "test": test, "value": value }] });
        let vocabulary = vocabulary();
        let source = SourceIndex::new(text, &vocabulary);
        let mut all = true;
        let (settings, mut scratch) = (Settings::default(), Scratch::default());
        Grounder::ground_all(
            &candidate,
            &vocabulary,
            &source,
            settings,
            &mut scratch,
            &crate::value::Fuel::of(u64::MAX),
            |_, f| all &= f.is_some(),
        );
        all
    };
    assert!(row("Chlamydia rRNA", "Negative") && row("Neisseria rRNA", "Abnormal"));
    assert!(!row("Chlamydia rRNA", "Positive") && !row("Neisseria rRNA", "Normal"));
    assert!(row("Platelets [#/volume] in Blood", "152") && row("Platelets [#/volume] in Blood", "> 500"));
    assert!(!row("Platelets [#/volume] in Blood", "15") && !row("Platelets [#/volume]", "152"));
}

#[test]
fn words_broken_over_lines_are_whole() {
    finds(
        "invasive\nductal carci-\nnoma",
        "histology",
        "ductal carcinoma",
        "ductal carci-\nnoma",
        Method::Normalized,
    );
    finds(
        "DUCTAL CARCI-\nNOMA OF",
        "histology",
        "ductal carcinoma",
        "DUCTAL CARCI-\nNOMA",
        Method::Normalized,
    );
    misses("STAGE-\nGRADE", "x", "stagegrade");
    finds(
        "St. Mary\u{2019}s Hospital",
        "x",
        "St. Mary's Hospital",
        "St. Mary\u{2019}s Hospital",
        Method::Normalized,
    );
}

#[test]
fn odd_values() {
    let text = "A whole report.\n".repeat(2000);
    finds(&text, "rawText", text.as_str(), &text, Method::Exact);
    for value in [json!(""), json!("  "), json!(null), json!(true), json!("—"), json!(1e300), json!("\u{ad}")]
    {
        assert_eq!(at("a 1 report true", "x", value), None);
    }
    assert_eq!(at("", "grade", json!("2")), None);
}
