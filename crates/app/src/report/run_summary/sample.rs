//! Batches for tests.

use super::{RunFacts, RunSummary};
use crate::result::DocumentResult;
use serde_json::{Value, json};

/// A result in short: omitted members have usual values.
pub(super) fn result(id: &str, said: Value) -> DocumentResult {
    let mut whole = json!({
        "id": id, "document_type": "pathology", "profile": "clinical",
        "final_status": "passed", "stop_reason": "accepted", "iteration_count": 1,
        "best_iteration": 0, "selection_reason": "only_iteration",
        "best_extraction": {}, "best_validation": null,
        "iterations": [], "improvement_trajectory": [], "rollbacks": 0,
        "usage": {"calls": 1, "tokens": 1_000, "cost_usd": 0.001},
        "elapsed_ms": 1_000, "review": false, "warnings": [],
    });
    let (Value::Object(whole_members), Value::Object(said)) = (&mut whole, said) else { panic!("no object") };
    whole_members.extend(said);
    serde_json::from_value(whole).unwrap()
}

/// An issue.
pub(super) fn issue(code: &str, severity: &str, path: &str) -> Value {
    json!({"code": code, "severity": severity, "path": path, "message": "the text says \"secret words\""})
}

/// One of very many documents, by its number: always identical, and no two alike.
pub(super) fn document(number: u64) -> DocumentResult {
    let chance =
        |salt: u64, of: u64| (number.wrapping_mul(2_654_435_761).wrapping_add(salt * 97_711) >> 7) % of;
    let types = ["pathology", "radiology", "laboratory"];
    let kind = chance(1, 10);
    let document_type = types[usize::from(kind > 5) + usize::from(kind > 8)];
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let overall = 1.0 - (chance(2, 1_000) as f64 / 1_000.0).powi(5) * 0.9;
    let mut issues = Vec::new();
    if overall < 0.97 {
        issues.push(issue("MISSING_FIELD", "major", "/grade"));
    }
    if overall < 0.9 {
        issues.push(issue("UNSUPPORTED_VALUE", "major", "/margins"));
        issues.push(issue("UNSUPPORTED_VALUE", "major", "/laterality"));
    }
    if overall < 0.5 {
        issues.push(issue("LATERALITY_CONFLICT", "critical", "/laterality"));
    }
    if chance(3, 3) == 0 {
        issues.push(issue("FIELD_OMITTED", "info", "/date"));
    }
    if chance(4, 9) == 0 {
        issues.push(issue("GRADE_FORMAT", "minor", "/grade"));
    }
    let passes = overall >= 0.97;
    let extraction = json!({
        "histology": "carcinoma",
        "grade": if overall < 0.97 { Value::Null } else { json!("2") },
        "margins": if chance(5, 4) == 0 { json!("") } else { json!("negative") },
        "ihc_status": if chance(6, 2) == 0 { "not_present" } else { "present" },
        "ihc": if chance(6, 2) == 0 { json!([]) } else { json!(["CK7"]) },
        "size": {"value": 12, "unit": if chance(7, 5) == 0 { Value::Null } else { json!("mm") }},
    });
    let (status, reason) = match (passes, chance(8, 3)) {
        (true, _) => ("passed", "accepted"),
        (false, 0) => ("stopped_early", "rollbacks"),
        (false, 1) => ("stopped_early", "min_improvement"),
        (false, _) => ("max_iterations_reached", "max_iterations"),
    };
    let iterations = if passes { 1 + chance(9, 2) } else { 2 + chance(9, 4) };
    let mut said = json!({
        "document_type": document_type, "final_status": status, "stop_reason": reason,
        "iteration_count": iterations, "review": overall < 0.8,
        "best_extraction": extraction,
        "best_validation": {"scores": {}, "overall": overall, "issues": issues},
        "usage": {"calls": iterations, "tokens": 900 * iterations + chance(10, 300),
                  "cost_usd": if chance(11, 50) == 0 { Value::Null } else { json!(0.002 * overall) }},
        "cached_calls": u64::from(chance(12, 20) == 0),
        "elapsed_ms": 700 * iterations + chance(13, 900),
    });
    if chance(14, 100) == 0 {
        said["final_status"] = json!("failed");
        said["stop_reason"] = json!("provider_error");
        said["detail"] = json!("openai: 503 Service Unavailable");
        said["best_extraction"] = Value::Null;
        said["best_validation"] = Value::Null;
        said["iteration_count"] = json!(0);
    }
    result(&format!("report-{number:05}"), said)
}

/// The identity of the run of the batches.
pub(super) fn facts() -> RunFacts {
    RunFacts {
        id: "0192f3a1-7c1e-7b04-9f7a-2f1d6f2f9b11".into(),
        profile: "clinical".into(),
        started_at: Some("2026-05-04T08:00:00Z".into()),
        finished_at: Some("2026-05-04T10:14:09.5Z".into()),
        loopctl_version: "0.1.0".into(),
        accept_overall: Some(0.98),
    }
}

/// A batch as large ones are.
pub(super) fn batch() -> RunSummary {
    let mut summary = RunSummary::new(facts());
    (0..2_000).for_each(|number| summary.add(&document(number)));
    summary.add_failed("report-02000", "the journal could not be written");
    summary.add_given_up("report-02001", "tried 3 times: the program ended");
    summary.set_waiting(120);
    summary.set_unreadable(3);
    summary
}
