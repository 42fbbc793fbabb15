//! Documents that ask more of a reviewer than their values do.

use super::{Desk, JOURNAL, draw_none, latest_run, token};
use crate::serve::running::Server;
use crate::workspace::Workspace;
use serde_json::{Value, json};

/// A report that says that it does not hold, and that it is of another patient; the values in it are as good as any.
pub(super) const WITHDRAWN: &str = "*** THIS REPORT HAS BEEN WITHDRAWN - WRONG PATIENT ***
SURGICAL PATHOLOGY REPORT
PATIENT: Jane Doe  MRN: 1234567
DATE: 2024-03-05
SPECIMEN: A. Left breast, lumpectomy.
FINAL DIAGNOSIS:
Left breast, lumpectomy: Invasive ductal carcinoma, grade 2.
Surgical margins: negative for carcinoma.
ER: positive. PR: positive. HER2: negative.
";

/// A report with nothing against it: all of its values are found in it.
pub(super) const SOUND: &str = "SURGICAL PATHOLOGY REPORT
INSTITUTION: General Hospital
DATE: 2024-03-05
FINAL DIAGNOSIS:
Left breast, lumpectomy: Invasive ductal carcinoma, grade 2.
Surgical margins: negative for carcinoma.
ER: positive. PR: positive. HER2: negative.
";

/// A PDF of one page, without text, as a scan.
pub(super) const PDF: &[u8] = b"%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 23>>stream
20 100 m 200 100 l S
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF
";

impl Desk {
    /// A service whose journal has a run of some reports.
    pub(super) fn of(reports: &[(&str, &str)]) -> Self {
        let place = Workspace::new();
        for (name, text) in reports {
            place.write(&format!("reports/{name}.txt"), text);
        }
        place.run(&[
            "run",
            "--quiet",
            "--profile",
            "clinical",
            "--type",
            "pathology",
            "--journal",
            JOURNAL,
            "reports",
        ]);
        Self::serve(place)
    }

    /// A service whose journal has a run of a PDF that a model was shown and nothing else inspected.
    pub(super) fn of_pdf() -> Self {
        let place = Workspace::new();
        place.write("scan.pdf", PDF);
        let answer = json!({
            "extraction": {
                "histology": "Invasive ductal carcinoma", "grade": "2", "margins": "negative",
                "laterality": "left", "date": "2024-03-05", "institution": "General Hospital",
                "ihcMarkers": { "ER": "positive" },
            },
            "evidence": [{ "path": "/histology", "quote": "invasive ductal carcinoma of the left breast" }],
        });
        let body = json!({
            "id": "a", "object": "chat.completion", "model": "m",
            "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": answer.to_string() } }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20 },
        })
        .to_string();
        let address = crate::loopback::serve(move |_| {
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            )
        });
        let base = format!("base_url=http://{address}/v1");
        place.run(&[
            "run",
            "--quiet",
            "--profile",
            "clinical",
            "--config",
            "stages.*.attach=document",
            "--type",
            "pathology",
            "--provider",
            "openai:gpt-x",
            "--provider-config",
            &base,
            "--journal",
            JOURNAL,
            "scan.pdf",
        ]);
        Self::serve(place)
    }

    /// A service of a workspace whose journal has a run.
    pub(super) fn serve(place: Workspace) -> Self {
        draw_none(&place);
        let server = Server::start(&place, &[]);
        let (anna, ben) = (token(&place, "anna", "review"), token(&place, "ben", "review"));
        let run = latest_run(&place);
        Desk { place, server, run, anna, ben }
    }

    /// A token of a user who settles what reviewers differ about.
    pub(super) fn chief(&self) -> String {
        token(&self.place, "chief", "adjudicate")
    }

    /// Gives a document back, so that another reviewer can decide about it.
    pub(super) fn give_back(&self, who: &str, document: &str) {
        let renewed = self.post(who, &self.address(document, "lease"), &[]).is(200).json();
        let until = renewed["until_ms"].to_string();
        self.post(who, &self.address(document, "release"), &[("until_ms", &until)]).is(204);
    }

    /// The entry of `review list` for a document.
    pub(super) fn listed(&self, document: &str) -> Value {
        let list = self.place.run_json(&["review", "list", "--journal", JOURNAL, "--format", "json"]);
        let mut found = list.as_array().unwrap().iter().filter(|entry| entry["document"] == document);
        found.next().cloned().unwrap_or_default()
    }

    /// The labels of a document that `review export` writes.
    pub(super) fn labels(&self, kind: &str, document: &str) -> Vec<Value> {
        let mut lines = self.place.run(&["review", "export", kind, "--journal", JOURNAL]).exits(0).lines();
        lines.retain(|line| line["document"] == document);
        lines
    }
}
