//! Made-up ordinary documents, each with the record that is right: what is right is verified, and what is moved from another row or
//! field is not.
#![expect(clippy::expect_used, reason = "a test may fail")]

use loopctl_ground::{
    Document, Doubt, FieldNames, LeftRow, Sort, SoughtField, Support, is_used, judge, left_rows, mentions,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Least share of right values that are verified, greatest share of those that are called absent, and of moved ones that are
/// verified.
const RIGHT: f64 = 0.85;
const ABSENT: f64 = 0.01;
const MOVED: f64 = 0.02;
/// The number of values that are moved to each place, and of how many places one is inspected.
const MOVES: usize = 2;
const PLACES: usize = 3;
/// Least share of lost rows that are reported, and greatest share of records for which another row is.
const TOLD: f64 = 0.6;
const OTHERS: f64 = 0.02;

fn documents() -> Vec<(String, String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("documents") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let record = std::fs::read_to_string(path.with_extension("json")).expect("its record");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            found.push((name, text, serde_json::from_str(&record).expect("JSON")));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 10, "{}", found.len());
    found
}

fn leaves(value: &Value, pointer: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| leaves(member, &format!("{pointer}/{key}"), into));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| leaves(item, &format!("{pointer}/{at}"), into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => into.push(pointer.to_owned()),
    }
}

fn supports(document: &Document, record: &Value) -> BTreeMap<String, Support> {
    judge(document, record, &FieldNames::default())
        .into_iter()
        .map(|verdict| (verdict.pointer, verdict.support))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of values are small")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[test]
fn right_values_are_verified_and_hardly_any_is_called_absent() {
    let (mut verified, mut absent, mut all, mut missed) = (0, 0, 0, Vec::new());
    for (name, text, record) in documents() {
        for (pointer, support) in supports(&Document::read(&text), &record) {
            all += 1;
            verified += usize::from(support == Support::Verified);
            if support != Support::Verified {
                missed.push(format!("{name} {pointer} {:?}", record.pointer(&pointer)));
            }
            absent += usize::from(support == Support::Unsupported);
        }
    }
    assert!(share(verified, all) >= RIGHT, "{verified} of {all}: {missed:#?}");
    assert!(share(absent, all) <= ABSENT, "{absent} of {all}: {missed:#?}");
}

#[test]
#[ignore = "long"]
fn values_of_another_row_or_field_are_not_verified() {
    let (mut verified, mut all, mut passed) = (0, 0, Vec::new());
    for (name, text, record) in documents() {
        let document = Document::read(&text);
        let mut pointers = Vec::new();
        leaves(&record, "", &mut pointers);
        let is_index = |step: &str| step.bytes().all(|byte| byte.is_ascii_digit());
        let general = |pointer: &str| {
            pointer
                .split('/')
                .map(|step| if is_index(step) { "" } else { step })
                .collect::<Vec<_>>()
                .join("/")
        };
        for to in pointers.iter().step_by(PLACES) {
            let own = record.pointer(to).expect("a leaf");
            let stride = (pointers.len() / MOVES).max(1);
            for from in pointers.iter().filter(|from| *from != to).step_by(stride) {
                let other = record.pointer(from).expect("a leaf");
                let both_listed = to.split('/').any(is_index) || !from.split('/').any(is_index);
                if own.is_boolean() || other.is_boolean() {
                    continue;
                }
                let same_kind = own.is_number() == other.is_number() && own.is_string() == other.is_string();
                let same_member = general(to) == general(from) || !to.split('/').skip(1).any(is_index);
                if own == other || !same_kind || !both_listed || !same_member {
                    continue;
                }
                let mut moved = record.clone();
                *moved.pointer_mut(to).expect("a leaf") = other.clone();
                all += 1;
                if supports(&document, &moved)[to.as_str()] == Support::Verified {
                    verified += 1;
                    passed.push(format!("{name} {to} := {other}"));
                }
            }
        }
    }
    assert!(all > 200, "{all}");
    assert!(share(verified, all) <= MOVED, "{verified} of {all}: {passed:#?}");
}

/// Pointers of lists of items, with the number of items.
fn lists(value: &Value, pointer: &str, into: &mut Vec<(String, usize)>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| lists(member, &format!("{pointer}/{key}"), into));
        }
        Value::Array(items) => into.push((pointer.to_owned(), items.len())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn rows_that_no_item_took_are_told_and_no_others() {
    let (mut told, mut all, mut silent, mut others) = (0, 0, Vec::new(), Vec::new());
    for (name, text, record) in documents() {
        let document = Document::read(&text);
        assert_eq!(left_rows(&document, &record, |_| false), [], "{name}");
        let mut found = Vec::new();
        lists(&record, "", &mut found);
        for (pointer, items) in found {
            for item in 0..items {
                let mut less = record.clone();
                let list = less.pointer_mut(&pointer).and_then(Value::as_array_mut).expect("a list");
                let lost = list.remove(item);
                all += 1;
                let rows = left_rows(&document, &less, |_| false);
                let first = lost.as_object().and_then(|item| item.values().find_map(Value::as_str));
                let begin = first.and_then(|first| first.split([' ', '-']).next()).unwrap_or_default();
                let is_lost = |row: &LeftRow| {
                    let printed = text.get(row.bytes.clone()).expect("whole characters");
                    row.list == pointer && printed.contains(begin)
                };
                if rows.iter().any(is_lost) {
                    told += 1;
                } else {
                    silent.push(format!("{name} {pointer}/{item}"));
                }
                if !rows.iter().all(is_lost) {
                    others.push(format!("{name} {pointer}/{item}: {rows:?}"));
                }
            }
        }
    }
    assert!(share(told, all) >= TOLD, "{told} of {all}: {silent:#?}");
    assert!(share(others.len(), all) <= OTHERS, "{} of {all}: {others:#?}", others.len());
}

#[test]
fn an_item_in_other_words_is_no_row_that_was_left() {
    let (mut all, mut told) = (0, Vec::new());
    for (name, text, record) in documents() {
        let document = Document::read(&text);
        let mut found = Vec::new();
        lists(&record, "", &mut found);
        for (pointer, items) in found {
            for item in 0..items {
                let mut other = record.clone();
                let members = other.pointer_mut(&format!("{pointer}/{item}")).and_then(Value::as_object_mut);
                let Some(members) = members else { continue };
                for member in members.values_mut() {
                    *member = if member.is_number() { 987_654.25.into() } else { "something else".into() };
                }
                all += 1;
                if !left_rows(&document, &other, |_| false).is_empty() {
                    told.push(format!("{name} {pointer}/{item}"));
                }
            }
        }
    }
    assert!(share(told.len(), all) <= OTHERS, "{} of {all}: {told:#?}", told.len());
}

#[test]
fn labelled_values_of_fields_that_a_record_lacks_are_mentions() {
    let text = "Invoice No: INV-7      Due date: 16 September 2024\nCustomer: n/a\nContact: Ann Lee\nTotal   2,969.65 EUR\nNotes: see below\n";
    let field = |name: &str, sort| SoughtField { pointer: format!("/{name}"), sort, synonyms: Vec::new() };
    let mut fields = vec![
        field("invoiceNumber", Sort::Text),
        field("dueDate", Sort::Date),
        field("customer", Sort::Text),
        field("contact", Sort::Text),
        field("total", Sort::Number),
        field("notes", Sort::Text),
        field("subtotal", Sort::Number),
    ];
    let document = Document::read(text);
    let told = |fields: &[SoughtField]| -> Vec<(String, String)> {
        let found = mentions(&document, fields);
        found.into_iter().map(|one| (one.field, text[one.bytes].to_owned())).collect()
    };
    let expected = [
        ("/invoiceNumber", "INV-7"),
        ("/dueDate", "16 September 2024"),
        ("/contact", "Ann Lee"),
        ("/total", "2,969.65 EUR"),
    ];
    assert_eq!(told(&fields), expected.map(|(field, value)| (field.to_owned(), value.to_owned())));
    // Another field that the label names as well: which of them is meant is not known.
    fields.push(field("totalAmount", Sort::Number));
    fields.push(field("contactPerson", Sort::Text));
    fields.push(field("contactName", Sort::Text));
    assert!(told(&fields).iter().any(|(name, _)| name == "/contact"));
    fields.push(SoughtField { synonyms: vec!["contact".to_owned()], ..field("person", Sort::Text) });
    assert!(!told(&fields).iter().any(|(name, _)| name == "/contact" || name == "/person"));
    let total = mentions(&document, &[field("total", Sort::Number)]);
    let bytes = total.first().map(|one| one.bytes.clone()).expect("a mention");
    assert!(is_used(&document, &serde_json::json!({"sum": 2969.65}), &bytes));
    assert!(!is_used(&document, &serde_json::json!({"sum": 296.65, "person": "Ann Lee"}), &bytes));
}

#[test]
fn a_list_that_is_whole_is_known_by_one_item() {
    let table = "Test | Result | Flag | Reference range\nSodium | 140 mmol/L | N | 135-145\nBlood culture | Gram-positive cocci in clusters | A | No growth\n\nComment | fasting\n";
    let lines = "Collected: 12 May (fasting)\nHemoglobin: 9.2 g/dL (13.5-17.5)\nBlasts: 62 % (0)\n";
    let rows = |text: &str, record: Value, is_whole: bool| -> Vec<String> {
        let document = Document::read(text);
        let left = left_rows(&document, &record, |list| is_whole && list == "/labValues");
        left.into_iter().map(|row| text[row.bytes].to_owned()).collect()
    };
    let sodium = serde_json::json!({"labValues": [{"test": "Sodium", "value": "140"}]});
    let culture = "Blood culture | Gram-positive cocci in clusters | A | No growth";
    assert_eq!(rows(table, sodium.clone(), true), [culture]);
    assert!(rows(table, sodium, false).is_empty());
    let both = serde_json::json!({"labValues": [{"test": "Sodium", "value": "140"}, {"test": "Blood culture", "value": "Gram-positive cocci"}]});
    assert!(rows(table, both, true).is_empty());
    let hemoglobin = serde_json::json!({"labValues": [{"test": "Hemoglobin", "value": "9.2"}]});
    assert_eq!(rows(lines, hemoglobin, true), ["Blasts: 62 % (0)"]);
    let both = serde_json::json!({"labValues": [{"test": "Hemoglobin", "value": "9.2"}, {"test": "Blasts", "value": "62"}]});
    assert!(rows(lines, both, true).is_empty());
}

/// The support and doubt of the only value of a record.
fn only(text: &str, record: &Value) -> (Support, Option<Doubt>) {
    let found = judge(&Document::read(text), record, &FieldNames::default());
    let only = found.first().expect("a leaf");
    (only.support, only.doubt)
}

#[test]
fn a_word_of_doubt_in_its_cell_leaves_a_labelled_value_open() {
    let doubted = [
        ("Allergies: no penicillin allergy known", json!({"allergies": "penicillin"}), Doubt::Denied),
        ("Contact: possibly Anna Meyer", json!({"contact": "Anna Meyer"}), Doubt::Uncertain),
        ("Previous employer: Bolt Ltd", json!({"employer": "Bolt Ltd"}), Doubt::AnotherTime),
        ("Total due: 99.50 (cancelled)", json!({"totalDue": 99.5}), Doubt::AnotherTime),
        ("Premium: 120.00 - estimated", json!({"premium": 120}), Doubt::Uncertain),
        ("Aspirin: 100 mg (stopped 2019)", json!({"aspirin": "100 mg"}), Doubt::AnotherTime),
        ("Diagnosis:\nNo pneumonia", json!({"diagnosis": "pneumonia"}), Doubt::Denied),
        ("Mother's name: Ada Bolt", json!({"name": "Ada Bolt"}), Doubt::AnotherPerson),
        ("Medication            not penicillin", json!({"medication": "penicillin"}), Doubt::Denied),
    ];
    for (text, record, doubt) in doubted {
        assert_eq!(only(text, &record), (Support::Undecided, Some(doubt)), "{text}");
    }
    let plain = [
        ("Previous employer: Bolt Ltd", json!({"previousEmployer": "Bolt Ltd"})),
        ("Mother's name: Ada Bolt", json!({"motherName": "Ada Bolt"})),
        ("Invoice No INV-17", json!({"invoiceNo": "INV-17"})),
        ("Invoice No: INV-17", json!({"invoiceNo": "INV-17"})),
        ("Contact: Anna Meyer. Not for deliveries.", json!({"contact": "Anna Meyer"})),
        ("Paid: not yet", json!({"paid": "not yet"})),
        ("Amount due: 250.00 USD, not including tax", json!({"amountDue": 250})),
        ("Rechnungsbetrag: 99,50 € ohne MwSt.", json!({"rechnungsbetrag": 99.5})),
        ("Telefon: 030 5551234 (nicht mobil)", json!({"telefon": "030 5551234"})),
        ("Plan: Gold, no deductible", json!({"plan": "Gold"})),
        ("Hemoglobin: 13.2 g/dL (previous 12.8)", json!({"hemoglobin": 13.2})),
        ("Employer: Acme Corp, formerly Widget Inc.", json!({"employer": "Acme Corp"})),
        ("Emergency contact: Maria Lopez, mother", json!({"emergencyContact": "Maria Lopez"})),
        ("Dose: 50 mg if needed", json!({"dose": "50 mg"})),
        ("Total: 59.90 EUR No. of items: 3", json!({"total": 59.9})),
        ("Customer number: 4711 (please quote if you call)", json!({"customerNumber": "4711"})),
        ("Family name: Schneider", json!({"lastName": "Schneider"})),
    ];
    for (text, record) in plain {
        assert_eq!(only(text, &record), (Support::Verified, None), "{text}");
    }
}

#[test]
fn an_item_whose_key_is_declared_has_its_row_where_the_key_is_printed() {
    let text = "Date         Product        Amount\n2024-05-01   Bolts            12.00\n2024-05-02   Nails             3.50\n\
                2024-05-03   Screws            8.25\n";
    let record = json!({"charges": [
        {"date": "2024-05-01", "product": "Bolts", "amount": 12.0},
        {"date": "2024-05-02", "product": "Screws", "amount": 3.5},
        {"date": "2024-05-03", "product": "Screws", "amount": 8.25},
    ]});
    let document = Document::read(text);
    let verified = |names: &FieldNames, pointer: &str| {
        let found = judge(&document, &record, names);
        found.iter().any(|leaf| leaf.pointer == pointer && leaf.support == Support::Verified)
    };
    let mut names = FieldNames::default();
    assert!(verified(&names, "/charges/1/amount"));
    names.name_items("/charges".to_owned(), "product".to_owned());
    assert!(!verified(&names, "/charges/1/amount"));
    assert!(verified(&names, "/charges/0/amount") && verified(&names, "/charges/2/amount"));
}

#[test]
fn lists_are_known_by_their_pointers() {
    let mut names = FieldNames::default();
    names.name_items("/parts/*/rows".to_owned(), "code".to_owned());
    assert_eq!(names.item_key("/parts/12/rows"), Some("code"));
    for other in ["/parts/rows", "/parts/x/rows", "/parts/12/rows/0", "/parts/12", ""] {
        assert_eq!(names.item_key(other), None, "{other}");
    }
}
