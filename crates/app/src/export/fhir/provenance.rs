//! The provenance of a document's resources: the run, its profile, who answered, who corrected.

use super::element::{add, part, text};
use super::{FhirExport, NAMES, Resource};
use crate::export::document::ExportedDocument;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The provenance of `targets`.
pub(super) fn provenance(
    export: &FhirExport<'_>,
    document: &ExportedDocument,
    targets: Vec<Value>,
) -> Resource {
    let run = export.run;
    let said = |name: &str, value: &str| part(&format!("{NAMES}{name}"), "String", text(value));
    let of_run =
        [said("run", &run.id), said("profile", &run.profile), said("profile-digest", &run.profile_digest)];
    let mut content = Map::new();
    content.insert("resourceType".to_owned(), "Provenance".into());
    content.insert("extension".to_owned(), of_run.into_iter().flatten().collect());
    content.insert("target".to_owned(), targets.into());
    add(&mut content, "recorded", export.ended());
    content.insert("activity".to_owned(), json!({ "text": "extraction from a document" }));
    content.insert("agent".to_owned(), agents(export, document).into());
    let mut source = Map::new();
    add(&mut source, "display", text(&document.id));
    let digest = text(&document.source_digest);
    let digest =
        digest.map(|digest| json!({ "type": { "text": "SHA-256 of the document" }, "value": digest }));
    add(&mut source, "identifier", digest);
    content.insert("entity".to_owned(), json!([{ "role": "source", "what": source }]));
    Resource::new(export, document, "provenance", content.into())
}

/// The program, the models, and the reviewers.
fn agents(export: &FhirExport<'_>, document: &ExportedDocument) -> Vec<Value> {
    let assembler = json!({ "coding": [{
        "system": "http://terminology.hl7.org/CodeSystem/provenance-participant-type",
        "code": "assembler",
        "display": "Assembler",
    }] });
    let program = format!("loopctl {}, profile {}", export.run.loopctl_version, export.run.profile);
    let mut agents = vec![json!({ "type": assembler, "who": { "display": text(&program) } })];
    let mut add = |role: String, who: &str| {
        if let (Some(role), Some(who)) = (text(&role), text(who)) {
            agents.push(json!({ "type": { "text": role }, "who": { "display": who } }));
        }
    };
    for (asked, services) in document.result.iter().flat_map(|result| &result.answered_by) {
        services.iter().for_each(|service| add(format!("answered as `{asked}`"), service));
    }
    let reviewers: BTreeSet<&str> = document.corrected.iter().map(|applied| applied.who()).collect();
    reviewers.into_iter().for_each(|reviewer| add("reviewer".to_owned(), reviewer));
    agents
}
