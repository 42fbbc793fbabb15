//! What a profile is for.

use super::model::Section;
use super::words::{name, names};
use crate::plan::Plan;
use crate::rules::UNKNOWN_TYPE;

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("purpose", "What it is for");
    let profile = &plan.profile;
    section.say(
        "description",
        match profile.description.trim() {
            "" => "Its author has not said what it is for.".to_owned(),
            said => format!("In its author's words: “{}”", said.replace('\n', " ")),
        },
    );
    if let [_, parents @ ..] = profile.chain.as_slice()
        && !parents.is_empty()
    {
        let parents = names(parents.iter().map(String::as_str), "and then");
        let text =
            format!("What it does not set itself it takes from {parents}, and last from the defaults.");
        section.say("extends", text);
    }
    section.say("classify", types(plan));
    section
}

fn types(plan: &Plan) -> String {
    let known: Vec<&str> = plan.document_types().filter(|known| *known != UNKNOWN_TYPE).collect();
    let unknown = name(UNKNOWN_TYPE);
    match &profile_classifier(plan) {
        Some(file) => format!(
            "A document's type is told from its text, by the patterns in {file}: {}. One that fits none of them well enough, or two \
             equally well, is {unknown}. `--type` overrules this.",
            names(known.iter().copied(), "or")
        ),
        None if known.is_empty() => {
            format!("Documents are not told apart by type; each counts as {unknown}.")
        }
        None => format!(
            "Documents are not told apart by their text; each counts as {unknown} unless `--type` says that it is {}.",
            names(known.iter().copied(), "or")
        ),
    }
}

fn profile_classifier(plan: &Plan) -> Option<String> {
    plan.classifier.as_ref()?;
    plan.profile.classify.as_ref().map(|file| name(&format!("rules/{}.yaml", file.value)))
}
