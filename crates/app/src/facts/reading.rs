//! The reading of documents: OCR, and the gate that pages pass.

use super::fact::Facts;
use crate::plan::Plan;
use crate::profile::{Above, Below, GateStep, Ocr, OcrUse, PageGate};
use serde_json::{Value, json};

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    let ingest = &plan.profile.ingest;
    facts.add("ingest.ocr", "ocr", ocr(&ingest.ocr));
    let PageGate {
        unknown_characters,
        hidden_words,
        missing_parts,
        unread_ink,
        picture_area,
        skew,
        ocr_confidence,
        layer_agreement,
    } = &ingest.gate;
    let bounds = [
        ("unknown_characters", above(unknown_characters)),
        ("hidden_words", above(hidden_words)),
        ("missing_parts", above(missing_parts)),
        ("unread_ink", above(unread_ink)),
        ("picture_area", above(picture_area)),
        ("skew", above(skew)),
        ("ocr_confidence", below(ocr_confidence)),
        ("layer_agreement", below(layer_agreement)),
    ];
    facts.add("ingest.gate", "page_gate", json!({ "any": bounds.iter().any(|(_, bound)| !bound.is_null()) }));
    for (signal, bound) in bounds {
        if !bound.is_null() {
            facts.add(
                format!("ingest.gate.{signal}"),
                "page_bound",
                json!({ "signal": signal, "bound": bound }),
            );
        }
    }
}

fn ocr(ocr: &OcrUse) -> Value {
    match ocr {
        OcrUse::Off => json!({ "used": false }),
        OcrUse::On(Ocr { engine, languages, proofread, dpi }) => json!({
            "used": true,
            "engine": engine.name(),
            "languages": languages.iter().map(|language| language.value.as_str()).collect::<Vec<_>>(),
            "proofread": proofread.map(|engine| engine.name()),
            "dpi": dpi,
        }),
    }
}

fn above(bound: &Above) -> Value {
    bound.0.map_or(Value::Null, |(bound, then)| json!({ "above": bound, "then": step(then) }))
}

fn below(bound: &Below) -> Value {
    bound.0.map_or(Value::Null, |(bound, then)| json!({ "below": bound, "then": step(then) }))
}

fn step(then: GateStep) -> &'static str {
    match then {
        GateStep::Ocr => "ocr",
        GateStep::Review => "review",
        GateStep::Fail => "fail",
    }
}
