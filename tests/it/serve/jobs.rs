//! Documents that are submitted: taken once, run, cancelled, tried again, and none lost.

use super::running::Server;
use crate::trajectories::{answer, scoring, steps};
use crate::workspace::{Workspace, documents};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn report() -> String {
    std::fs::read_to_string(documents().join("pathology-gastric.txt")).unwrap()
}

/// A service whose profile asks no server.
fn server(place: &Workspace) -> Server {
    Server::start(place, &["--profile", "clinical", "--provider", "pattern"])
}

#[test]
fn a_document_that_is_submitted_is_run() {
    let place = Workspace::new();
    let server = server(&place);
    let job = server.post("/api/jobs", &json!({"text": report(), "file_name": "gastric.txt"})).is(202);
    let id = job.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(job.header("location"), Some(format!("/api/jobs/{id}").as_str()));
    let mut events = server.events(&id, None);
    // The file may be read before the first look, or after it.
    events.retain(|event| event.kind != "reading");
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 2], kinds[kinds.len() - 1]), ("started", "finished", "ended"));
    let ids: Vec<usize> = events[..events.len() - 1].iter().map(|event| event.id.parse().unwrap()).collect();
    assert_eq!(ids, (0..ids.len()).collect::<Vec<_>>());
    // A client that comes back misses none and sees none twice.
    assert_eq!(server.events(&id, Some("2")), events[3..]);
    let job = server.get(&format!("/api/jobs/{id}")).is(200).json();
    assert_eq!(
        (&job["status"], &job["document"], &job["file_name"]),
        (&json!("finished"), &json!("gastric"), &json!("gastric.txt"))
    );
    let result = server.get(&format!("/api/jobs/{id}/result")).is(200).json();
    assert_eq!(result["document_type"], "pathology");
    assert_eq!(job["outcome"]["overall"], result["best_validation"]["overall"]);
    let story = server.get(&format!("/api/jobs/{id}/explanation")).is(200).json();
    assert_eq!(story["document"], "gastric");
    // The same as the command makes of it.
    place.write("gastric.txt", report());
    let ran = place.run(&[
        "run",
        "--profile",
        "clinical",
        "--provider",
        "pattern",
        "--format",
        "json",
        "gastric.txt",
    ]);
    let by_command: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["best_extraction"], by_command["best_extraction"]);
}

#[test]
fn files_are_uploaded_together_and_named_in_allowed_folders() {
    let place = Workspace::new();
    place.write("inbox/a/one.txt", report());
    place.write("outside.txt", "secret");
    let inbox = place.path("inbox");
    let server = Server::start(
        &place,
        &["--profile", "clinical", "--provider", "pattern", "--folder", inbox.to_str().unwrap()],
    );
    let files = [("x/../one.txt", &*report()), ("one.txt", "Another text of a document.")];
    let uploaded = server
        .request("POST", "/api/uploads")
        .admin()
        .files(&[("document_type", "pathology")], &files)
        .send();
    let jobs = uploaded.is(202).json()["jobs"].clone();
    assert_eq!(jobs[0]["document"], "one");
    let second = jobs[1]["document"].as_str().unwrap();
    assert_eq!(second, format!("one~{}", jobs[1]["id"].as_str().unwrap()));
    for path in ["a/one.txt", inbox.join("a/one.txt").to_str().unwrap()] {
        let job = server.post("/api/jobs", &json!({ "path": path })).is(202).json();
        let job = server.finished(job["id"].as_str().unwrap());
        assert_eq!((&job["status"], &job["file_name"]), (&json!("finished"), &json!("one.txt")));
    }
    for path in [
        "../outside.txt",
        "a/../../outside.txt",
        place.path("outside.txt").to_str().unwrap(),
        "/etc/passwd",
        "a",
        "",
    ] {
        server.post("/api/jobs", &json!({ "path": path })).is(403);
    }
}

#[test]
fn a_file_that_is_refused_keeps_none_of_the_others() {
    let place = Workspace::new();
    let server = server(&place);
    let files = [("empty.txt", ""), ("good.txt", "A text of a report.")];
    let uploaded = server.request("POST", "/api/uploads").admin().files(&[], &files).send().is(202).json();
    assert_eq!(uploaded["jobs"][0]["file_name"], "good.txt");
    assert_eq!(uploaded["refused"], json!([{"file_name": "empty.txt", "error": "the document is empty"}]));
    server.request("POST", "/api/uploads").admin().files(&[], &files[..1]).send().is(400);
    let page = server.request("POST", "/documents").admin().files(&[], &files).send().is(422).text();
    for said in ["Submitted: 1 document.", "empty.txt", "was not submitted", "the document is empty", "<nav"]
    {
        assert!(page.contains(said), "`{said}`: {page}");
    }
    let nothing = server.request("POST", "/documents").admin().files::<&str>(&[], &[]).send().is(422).text();
    assert!(nothing.contains("the form holds no document"), "{nothing}");
    let done = server.request("POST", "/documents").admin().files(&[], &[("other.txt", "B")]).send().is(303);
    assert_eq!(done.header("location"), Some("/?taken=1&known=0"));
}

#[test]
fn a_form_with_too_many_files_is_taken_not_even_in_part() {
    let place = Workspace::new();
    let server = server(&place);
    let names: Vec<(String, String)> =
        (0..101).map(|number| (format!("{number}.txt"), format!("Report {number}."))).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let page = server.request("POST", "/documents").admin().files(&[], &files).send().is(422).text();
    assert!(
        page.contains("Nothing was submitted: ") && page.contains("at most 100 files, found 101"),
        "{page}"
    );
    assert!(page.contains("No documents yet") && !page.contains("<code><bdi>The form"), "{page}");
    assert!(page.contains("at most 100 at a time"), "{page}");
    let said = server.request("POST", "/api/uploads").admin().files(&[], &files).send().is(400).json();
    assert!(said["error"].as_str().unwrap().contains("none of them was taken"), "{said}");
    // A part that is none of a form's leaves nothing of what precedes it, either.
    let strange = server.request("POST", "/api/uploads").admin();
    strange.files(&[("again", "x")], &files[..1]).send().is(400);
    assert!(server.get("/").is(200).text().contains("No documents yet"));
    assert!(!place.path("data/uploads").exists() || place.names("data/uploads").is_empty());
    server.request("POST", "/documents").admin().files(&[], &files[..100]).send().is(303);
}

#[test]
fn a_form_that_is_sent_again_pays_for_nothing_again() {
    let place = Workspace::new();
    let server = server(&place);
    let files = [("a.txt", "A text of a report."), ("b.txt", "Another one.")];
    let sent = |fields: &[(&str, &str)], files: &[(&str, &str)]| {
        let answer = server.request("POST", "/documents").admin().files(fields, files).send().is(303);
        answer.header("location").unwrap().to_owned()
    };
    assert_eq!(sent(&[], &files[..1]), "/?taken=1&known=0");
    assert_eq!(sent(&[], &files), "/?taken=1&known=1");
    assert!(server.get("/?taken=1&known=1").text().contains("listed below: 1 document."));
    assert_eq!(server.get("/api/jobs").json()["jobs"].as_array().unwrap().len(), 2);
    // Another setting is another question, which may be asked.
    assert_eq!(sent(&[("setting", "accept.overall=0.5")], &files[..1]), "/?taken=1&known=0");
    assert_eq!(sent(&[("again", "yes")], &files[..1]), "/?taken=1&known=0");
}

#[test]
fn one_submission_sent_twice_is_one_job() {
    let place = Workspace::new();
    let server = server(&place);
    let submit = |key: &str, text: &str| {
        let body = json!({"text": text, "file_name": "a.txt"});
        server.request("POST", "/api/jobs").admin().header("Idempotency-Key", key).json(&body).send()
    };
    let first = submit("k", "A text.").is(202).json();
    let again = submit("k", "A text.").is(200);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.json()["id"], first["id"]);
    submit("k", "Another text.").is(422);
    assert_ne!(submit("l", "A text.").is(202).json()["id"], first["id"]);
    submit(&"k".repeat(300), "A text.").is(400);
    assert_eq!(server.get("/api/jobs").json()["jobs"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_understood_is_refused_with_what_to_do() {
    let place = Workspace::new();
    let server = Server::start(&place, &["--profile", "clinical", "--provider", "pattern", "--most-mb", "1"]);
    for (body, status, says) in [
        (json!({}), 400, "exactly one of `text`, `file_base64` and `path`"),
        (json!({"text": "a", "path": "b"}), 400, "exactly one"),
        (json!({"text": ""}), 400, "empty"),
        (json!({"file_base64": "%%%"}), 400, "not Base64"),
        (json!({"txt": "a"}), 422, "unknown field `txt`"),
        (json!({"text": "a", "profile": "clinica"}), 404, "no profile `clinica`"),
        (json!({"text": "a", "profile": "../../etc/passwd"}), 404, "no profile"),
        (json!({"text": "a", "document_type": "invoice"}), 422, "no document type `invoice`"),
        (
            json!({"text": "a", "settings": {"stages.extract.provider": "command"}}),
            422,
            "can't be set by a request",
        ),
        (json!({"text": "a", "settings": {"accept.overall": 7}}), 422, "expected a score from 0 to 1"),
        (json!({"text": "x".repeat(2 << 20)}), 413, "more than 1 MB"),
    ] {
        let answer = server.post("/api/jobs", &body);
        let shown: String = body.to_string().chars().take(80).collect();
        assert_eq!(answer.status, status, "{shown}: {}", answer.text());
        assert!(answer.json()["error"].as_str().unwrap().contains(says), "{shown}: {}", answer.text());
    }
    server.request("POST", "/api/jobs").admin().body("application/json", b"{").send().is(400);
    server.request("POST", "/api/jobs").admin().body("text/plain", b"{}").send().is(415);
    server.get("/api/jobs/nothing").is(404);
    assert_eq!(server.get("/api/jobs").json()["jobs"], json!([]));
}

#[test]
fn too_many_that_wait_are_refused_until_there_is_room() {
    let place = steps("stop: { max_iterations: 1 }\n", &[json!({"fault": "hang"})]);
    let server = Server::start(&place, &["--profile", "steps", "--most-waiting", "2", "--jobs", "1"]);
    let mut taken = Vec::new();
    let refused = loop {
        let answer = server.post("/api/jobs", &json!({"text": format!("Text {}.", taken.len())}));
        match answer.status {
            202 => taken.push(answer.json()["id"].as_str().unwrap().to_owned()),
            _ => break answer,
        }
        assert!(taken.len() <= 3);
    };
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    // A waiting one is cancelled at once, one in progress is given up.
    for id in &taken {
        server.post(&format!("/api/jobs/{id}/cancel"), &json!({})).is(200);
        assert_eq!(server.finished(id)["status"], "cancelled");
    }
    server.post("/api/jobs", &json!({"text": "Another."})).is(202);
    let waits = server.post(&format!("/api/jobs/{}/retry", taken[0]), &json!({})).is(200).json();
    assert!(["waiting", "running"].contains(&waits["status"].as_str().unwrap()), "{waits}");
    server.post(&format!("/api/jobs/{}/retry", taken[0]), &json!({})).is(409);
}

#[test]
fn the_interface_of_the_reliability_loop_is_kept() {
    let place = Workspace::new();
    let server = server(&place);
    let request = json!({
        "fileBase64": STANDARD.encode(report()), "mimeType": "text/plain", "filename": "gastric.txt",
        "documentTypeOverride": "pathology", "enableReliabilityLoop": true, "qualityThreshold": 0.5, "maxIterations": 2,
    });
    let answer = server.post("/api/upload/process-v2", &request).is(200).json();
    let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["documentId", "classifiedType", "extractedData", "reliabilityLoop", "warnings", "processingTimeMs"]
    );
    let looped = answer["reliabilityLoop"].as_object().unwrap();
    let keys: Vec<&str> = looped.keys().map(String::as_str).collect();
    assert_eq!(keys, ["enabled", "finalScore", "iterations", "metThreshold", "iterationHistory"]);
    assert_eq!(answer["classifiedType"], "pathology");
    assert!(answer["reliabilityLoop"]["iterations"].as_u64().unwrap() <= 2);
    let job = server.get(&format!("/api/jobs/{}", answer["documentId"].as_str().unwrap())).is(200).json();
    assert_eq!(job["settings"], json!(["accept.overall=0.5", "stop.max_iterations=2"]));
    let mut without = request.clone();
    without["enableReliabilityLoop"] = json!(false);
    let answer = server.post("/api/upload/process-v2", &without).is(200).json();
    assert_eq!(answer["reliabilityLoop"]["iterations"], 1);
    assert_eq!(answer["reliabilityLoop"].get("iterationHistory"), None);
    for (key, value) in
        [("qualityThreshold", json!(2)), ("maxIterations", json!(0)), ("fileBase64", json!("?"))]
    {
        let mut wrong = request.clone();
        wrong[key] = value;
        let answer = server.post("/api/upload/process-v2", &wrong).is(400);
        assert!(answer.text().contains(key), "{}", answer.text());
    }
}

#[test]
fn what_was_taken_is_done_once_whatever_becomes_of_the_process() {
    let place = Workspace::new();
    let mut server = server(&place);
    let mut jobs = Vec::new();
    for round in 0..3 {
        for number in 0..8 {
            let text = format!("{}\nRound {round}, document {number}.", report());
            let body = json!({"text": text, "file_name": format!("{round}-{number}.txt")});
            let key = format!("{round}-{number}");
            let sent = || {
                server.request("POST", "/api/jobs").admin().header("Idempotency-Key", &key).json(&body).send()
            };
            jobs.push(sent().is(202).json()["id"].as_str().unwrap().to_owned());
        }
        server.kill();
        server = self::server(&place);
    }
    for job in &jobs {
        let done = server.finished(job);
        assert_eq!(done["status"], "finished", "{done}");
        let events = server.events(job, None);
        assert_eq!(events.iter().filter(|event| event.kind == "finished").count(), 1);
    }
    assert_eq!(server.get("/api/jobs?limit=200").json()["jobs"].as_array().unwrap().len(), jobs.len());
}

#[cfg(unix)]
#[test]
fn told_to_stop_it_ends_in_order_and_goes_on_later() {
    let place = steps("stop: { max_iterations: 1 }\n", &[json!({"fault": "hang"})]);
    let server = Server::start(&place, &["--profile", "steps", "--drain", "10ms"]);
    let job = server.post("/api/jobs", &json!({"text": "A text."})).is(202).json();
    let id = job["id"].as_str().unwrap().to_owned();
    assert!(server.stop().success());
    answer(&place, &[scoring(10)]);
    let server = Server::start(&place, &["--profile", "steps"]);
    let job = server.finished(&id);
    assert_eq!((&job["status"], &job["outcome"]["overall"]), (&json!("finished"), &json!(1.0)), "{job}");
}
