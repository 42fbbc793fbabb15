//! Counts right, moved and mistaken values of labelled documents that are verified, by binding.

use loopctl_ground::{Document, Support, judge};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: measure FOLDER [held|dev|ID] [list]")?;
    let which = arguments.next().unwrap_or_default();
    let list = arguments.next();
    let docs: HashMap<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(format!("{folder}/docs.json"))?)?;
    let held =
        ["PYhFptk3", "ENoM9faK", "NNaGgwE5", "LYeb3G3s", "J6buHXQ4", "GW7i2xbM", "FiFgt4a6", "eKzY7gEA"];
    let mut read = HashMap::new();
    for (id, doc) in &docs {
        let text = doc.get("text").and_then(Value::as_str).unwrap_or_default();
        read.insert(id.clone(), Document::read(text));
    }
    let (mut all, mut by_doc, mut by_binding) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for line in std::fs::read_to_string(format!("{folder}/cases.jsonl"))?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let text = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, doc) = (text("id"), text("doc"));
        let takes = match which.as_str() {
            "held" => held.contains(&doc.as_str()),
            "dev" => !held.contains(&doc.as_str()),
            "" => true,
            one => doc == one,
        };
        let Some(document) = read.get(&doc).filter(|_| takes) else { continue };
        let kind = id.split('|').next().unwrap_or_default().to_owned();
        let extraction = case.get("extraction").unwrap_or(&Value::Null);
        let verdicts: HashMap<String, _> =
            judge(document, extraction).into_iter().map(|one| (one.pointer.clone(), one)).collect();
        for pointer in
            case.get("want").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            let verdict = verdicts.get(pointer);
            let support = verdict.map_or(Support::Undecided, |verdict| verdict.support);
            let ok = support == Support::Verified;
            if list.as_deref() == Some("all") {
                println!("A\t{id}\t{pointer}\t{ok}\t{:?}", verdict.map(|one| one.binding));
            }
            let count = |map: &mut BTreeMap<String, (usize, usize)>, key: String| {
                let e = map.entry(key).or_default();
                e.0 += usize::from(ok);
                e.1 += 1;
            };
            count(&mut all, kind.clone());
            count(&mut by_doc, format!("{doc} {kind}"));
            let top = if pointer
                .split('/')
                .any(|step| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()))
            {
                "list"
            } else {
                "top"
            };
            count(
                &mut by_binding,
                format!("{kind} {top} {:?} {:?}", support, verdict.map(|one| one.binding)),
            );
            if list.is_some() && (kind == "right") != ok {
                let value = extraction.pointer(pointer).map(Value::to_string).unwrap_or_default();
                println!(
                    "{kind} {doc} {pointer} {value} {:?} {:?}",
                    support,
                    verdict.map(|one| (one.binding, one.bytes.clone()))
                );
            }
        }
    }
    for (key, (ok, of)) in by_doc.iter().chain(&by_binding).chain(&all) {
        println!("{key}: {ok}/{of}");
    }
    Ok(())
}
