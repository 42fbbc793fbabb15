//! The pages of runs, documents, profiles, trends and settings.

use super::running::{Answer, Server};
use crate::loopback;
use crate::trajectories::{run, scoring, steps};
use crate::workspace::{PLENTY, Workspace};
use serde_json::Value;
use std::sync::mpsc::channel;

/// A run of one document: scores of 0.3, 0.5, 0.4, 0.6, none of which is accepted.
pub(super) fn recorded() -> Workspace {
    let answers: Vec<Value> = [3, 5, 4, 6].map(scoring).to_vec();
    let place = steps("stop: { max_iterations: 4 }\nfeedback: { template: feedback/plain.md }", &answers);
    place.write("prompts/feedback/plain.md", "Once more, please.");
    run(&place, &[]).exits(3);
    place.write("data/journal.sqlite", std::fs::read(place.path("out/journal.sqlite")).unwrap());
    place
}

pub(super) fn served(place: &Workspace) -> Server {
    Server::start(place, &[])
}

/// Asks for a page as a browser does.
fn page(server: &Server, path: &str) -> Answer {
    page_as(server, &server.token, path)
}

fn page_as(server: &Server, token: &str, path: &str) -> Answer {
    server.request("GET", path).token(token).header("Accept", "text/html").send()
}

/// Sends a form.
fn send(server: &Server, token: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let pairs: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    let request = server.request("POST", path).token(token).header("Accept", "text/html");
    request.body("application/x-www-form-urlencoded", pairs.join("&").as_bytes()).send()
}

/// A value as forms send it.
fn encoded(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    value.bytes().map(byte).collect()
}

/// Checks of what a page has and has not.
trait Shows: Sized {
    fn shows(self, parts: &[&str]) -> Self;
    fn lacks(self, parts: &[&str]) -> Self;
}

impl Shows for Answer {
    #[track_caller]
    fn shows(self, parts: &[&str]) -> Self {
        let text = self.text();
        for part in parts {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
        self
    }

    #[track_caller]
    fn lacks(self, parts: &[&str]) -> Self {
        let text = self.text();
        for part in parts {
            assert!(!text.contains(part), "`{part}` is in\n{text}");
        }
        self
    }
}

/// The id of the only run.
pub(super) fn run_of(server: &Server) -> String {
    let list = page(server, "/runs").is(200).text();
    let (_, rest) = list.split_once("href=\"/runs/2").unwrap();
    format!("2{}", rest.split_once('"').unwrap().0)
}

fn token(place: &Workspace, role: &str) -> String {
    let arguments = ["serve", "token", "add", "somebody", "--role", role, "--data", "data"];
    place.run(&arguments).exits(0).out.trim().to_owned()
}

#[test]
fn a_run_shows_what_it_came_to_and_each_document_its_story() {
    let place = recorded();
    let server = served(&place);
    page(&server, "/runs").is(200).shows(&["<h1>Runs</h1>", ">steps<", "finished"]);
    let run = run_of(&server);
    page(&server, &format!("/runs/{run}")).is(200).shows(&[
        "Scores by iteration",
        "overall required: 0.9<",
        ">0.300<",
        ">0.600<",
        "stop, max_iterations (stop.max_iterations: 4 against 4)",
        "Not passed 1 (100.0 %)",
        &format!("href=\"/runs/{run}/doc\""),
    ]);
    page(&server, &format!("/runs/{run}?show=passed")).is(200).shows(&["There are no such documents."]);
    page(&server, &format!("/runs/{run}?show=not-passed&page=99")).is(200).shows(&["/doc\""]);
    page(&server, &format!("/runs/{run}?fragment=1")).is(200).shows(&["Progress"]).lacks(&["<html", "<h1"]);
    page(&server, &format!("/runs/{run}/doc")).is(200).shows(&[
        "Candidate 3 (corrected from candidate 2): overall 0.600",
        "Once more, please.",
        "Why it stopped",
        "max iterations reached",
        &format!("href=\"/review/{run}/doc\""),
    ]);
}

#[test]
fn what_is_not_there_is_said_on_a_page() {
    let place = recorded();
    let server = served(&place);
    let run = run_of(&server);
    page(&server, "/runs/20200101T000000Z-0001").is(404).shows(&["<h1>Not found</h1>", "holds no run"]);
    page(&server, &format!("/runs/{run}/other")).is(404).shows(&["<h1>Not found</h1>"]);
    page(&server, &format!("/runs/{run}?show=some")).is(400).shows(&["no such selection"]);
    page(&server, "/profiles/nothing").is(404).shows(&["There is no profile of this name"]);
    page(&server, "/profiles/..%2Fsteps").is(404);
    page(&server, "/nowhere").is(404).shows(&["There is no such page"]);
    // Programs are answered in JSON.
    let answer = server.get("/runs/none").is(404);
    assert!(answer.text().starts_with('{'), "{}", answer.text());
}

#[test]
fn who_may_only_submit_sees_none_of_it() {
    let place = recorded();
    let submitter = token(&place, "submit");
    let reviewer = token(&place, "review");
    let server = served(&place);
    for path in ["/runs", "/profiles", "/trends", "/settings"] {
        page_as(&server, &submitter, path)
            .is(403)
            .shows(&["<h1>Not allowed</h1>"])
            .lacks(&["href=\"/runs\""]);
    }
    page_as(&server, &reviewer, "/runs").is(200);
    page_as(&server, &reviewer, "/trends").is(200).lacks(&["action=\"/settings/alerts\""]);
    page_as(&server, &reviewer, "/settings").is(403);
    send(&server, &reviewer, "/settings/shares", &[("audit", "1"), ("second", "1")]).is(403);
}

#[test]
fn another_threshold_is_tried_on_a_recorded_run() {
    let place = recorded();
    let server = served(&place);
    let run = run_of(&server);
    page(&server, "/profiles/steps").is(200).shows(&[
        "name=\"accept.overall\"",
        "name=\"stop.max_iterations\"",
        "Thresholds, limits and weights",
        &format!("value=\"{run}\""),
    ]);
    let tried = format!("/profiles/steps?accept.overall=0.5&stop.max_iterations=4&run={run}");
    page(&server, &tried).is(200).shows(&[
        "<strong>1</strong> of 1 document would end differently.",
        "4 → 2",
        "passed</span>: <bdi>accepted",
        "As YAML",
        "</ins>",
    ]);
    let longer = format!("/profiles/steps?stop.max_iterations=6&run={run}");
    page(&server, &longer).is(200).shows(&["is not in the record, and not guessed"]);
    page(&server, &format!("/profiles/steps?accept.overall=2&run={run}"))
        .is(200)
        .shows(&["class=\"refused\"", "There is no YAML until every value is valid."])
        .lacks(&["id=\"whole-yaml\"", "Save as a new profile"]);
    page(&server, "/profiles/steps?accept.overall=%7Ba%3A1%7D").is(400).shows(&["needs a number"]);
}

#[test]
fn a_changed_profile_is_saved_under_a_new_name_alone() {
    let place = recorded();
    let reviewer = token(&place, "review");
    let server = served(&place);
    let before = place.read("profiles/steps.yaml");
    let fields = [("accept.overall", "0.5"), ("name", "our-steps")];
    send(&server, &reviewer, "/profiles/steps/save", &fields).is(403);
    let answer = send(&server, &server.token, "/profiles/steps/save", &fields).is(303);
    assert!(answer.header("location") == Some("/profiles/our-steps"), "{}", answer.head);
    page(&server, "/profiles/our-steps").is(200).shows(&["value=\"0.5\""]);
    let saved = place.read("profiles/our-steps.yaml");
    assert!(saved.contains("0.5"), "{saved}");
    for name in ["our-steps", "steps", "clinical", "../other", "/tmp/x", "A", "con", ""] {
        let fields = [("accept.overall", "0.4"), ("name", name)];
        send(&server, &server.token, "/profiles/steps/save", &fields).is(422).shows(&["<h1>That can"]);
    }
    let fields = [("accept.overall", "7"), ("name", "broken")];
    send(&server, &server.token, "/profiles/steps/save", &fields).is(422);
    assert_eq!(place.names("profiles"), ["our-steps.yaml", "steps-measured.yaml", "steps.yaml"]);
    assert_eq!(place.read("profiles/steps.yaml"), before);
    assert_eq!(place.read("profiles/our-steps.yaml"), saved);
    // Comments and layout of the file stay.
    page(&server, "/profiles/clinical/yaml?accept.overall=0.9&stop.timeout=10s&stop.max_iterations=2")
        .is(200)
        .shows(&[
            "accept: { overall: 0.9, critical_issues: 0, escalate_issues: 0 }   # conflicting",
            "stop: { max_iterations: 2, timeout: 10s }\n",
        ]);
    let file = page(&server, "/profiles/steps/yaml?accept.overall=0.5&name=other").is(200);
    assert!(file.head.contains("attachment"), "{}", file.head);
    assert!(file.text().contains("name: other") && file.text().contains("0.5"), "{}", file.text());
}

/// The form of alerts with the usual numbers but these.
fn alerts<'a>(with: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("iteration_count", "3"),
        ("final_score", "0.8"),
        ("threshold_met_rate", "90"),
        ("processing_time", "45"),
        ("improvement_per_iteration", "0.02"),
        ("hours", "24"),
        ("least_documents", "1"),
    ];
    usual
        .into_iter()
        .filter(|(key, _)| !with.iter().any(|(other, _)| other == key))
        .chain(with.iter().copied())
        .collect()
}

#[test]
fn trends_show_the_five_numbers_and_their_bounds() {
    let place = recorded();
    let server = served(&place);
    for by in ["hour", "day", "run"] {
        page(&server, &format!("/trends?by={by}&profile=steps")).is(200).shows(&[
            "Iterations per document",
            "above 3",
            "below 90 %",
            "above 45 s",
            "over its bound of 3",
            "under its bound of 90 %",
            "within its bound of 45 s",
            "below 0.02",
            ">0.6<",
            ">0 %<",
            "class=\"bound\"",
        ]);
    }
    page(&server, "/trends?profile=none").is(200).shows(&["No documents ended"]);
    page(&server, "/trends?by=minute").is(400);
    send(&server, &server.token, "/settings/alerts", &alerts(&[("final_score", "0.55"), ("back", "trends")]))
        .is(303);
    page(&server, "/trends?saved=alerts").is(200).shows(&["below 0.55", "The alerts were saved."]);
}

#[test]
fn each_crossing_is_told_once() {
    let place = recorded();
    let server = served(&place);
    let (to, messages) = channel();
    let address = loopback::serve(move |request| {
        let _ = to.send(request.to_owned());
        loopback::http("204 No Content", "", "")
    });
    let webhook = format!("http://{address}/hook?key=secret");
    // Of the five numbers, two are on the wrong side of these bounds: no document passed, and each needed four candidates.
    let first = alerts(&[("final_score", "0.5"), ("webhook", &webhook)]);
    send(&server, &server.token, "/settings/alerts", &first).is(303);
    let next = || {
        let request = messages.recv_timeout(PLENTY).unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /hook?key=secret HTTP/1.1"), "{head}");
        serde_json::from_str::<Value>(body).unwrap()
    };
    let told = [next(), next()];
    assert_eq!(told[0]["measure"], "iteration_count");
    assert_eq!(told[1]["measure"], "threshold_met_rate");
    assert_eq!((&told[1]["profile"], &told[1]["value"]), (&"steps".into(), &0.0.into()));
    assert_eq!((&told[1]["bound"], &told[1]["documents"]), (&0.9.into(), &1.into()));
    // A number that crosses its bound later is reported, and the others are not reported again.
    let second = alerts(&[("final_score", "0.7"), ("webhook", &webhook)]);
    send(&server, &server.token, "/settings/alerts", &second).is(303);
    let third = next();
    assert_eq!((&third["measure"], &third["value"]), (&"final_score".into(), &0.6.into()));
    page(&server, "/settings").is(200).shows(&["The last message went to", &format!("http://{address}")]);
}

#[test]
fn settings_are_checked_and_tokens_are_shown_once() {
    let place = recorded();
    let server = served(&place);
    page(&server, "/settings").is(200).shows(&[
        "Alerts",
        "Reviews",
        "Tokens",
        "Access log",
        "value=\"2\"",
        "value=\"10\"",
    ]);
    for wrong in [
        [("final_score", "1.5")],
        [("final_score", "high")],
        [("hours", "0")],
        [("webhook", "http://example.org/")],
        [("webhook", "file:///etc/passwd")],
    ] {
        send(&server, &server.token, "/settings/alerts", &alerts(&wrong)).is(400).shows(&["<h1>That can"]);
    }
    let shares = [("audit", "5"), ("second", "12.5")];
    send(&server, &server.token, "/settings/shares", &shares).is(303);
    page(&server, "/settings").is(200).shows(&["value=\"5\"", "value=\"12.5\""]).lacks(&["were saved"]);
    page(&server, "/settings?saved=shares")
        .is(200)
        .shows(&["The shares of documents for review were saved."]);
    page(&server, "/settings?saved=other-words").is(200).lacks(&["were saved", "other-words"]);

    let fields = [("name", "lab"), ("role", "submit"), ("days", "30")];
    let made = send(&server, &server.token, "/settings/tokens", &fields);
    let made = made
        .is(200)
        .shows(&["It is shown only once", "value=\"/login#token=loopctl_", "Copy the link"])
        .text();
    let token = made.split_once("readonly value=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    page(&server, "/settings")
        .is(200)
        .shows(&[">lab<", "<summary>Revoke …</summary>", "Yes, revoke"])
        .lacks(&[&token]);
    assert_eq!(page_as(&server, &token, "/runs").status, 403);
    send(&server, &server.token, "/settings/tokens/revoke", &[("name", "lab")]).is(303);
    assert_eq!(page_as(&server, &token, "/api/openapi.json").status, 401);
    page(&server, "/settings").is(200).shows(&["revoked"]).lacks(&["action=\"/settings/tokens/revoke\""]);
    for wrong in [
        [("name", ""), ("role", "submit"), ("days", "")],
        [("name", "x"), ("role", "root"), ("days", "")],
        [("name", "x"), ("role", "admin"), ("days", "-1")],
    ] {
        send(&server, &server.token, "/settings/tokens", &wrong).is(400);
    }
}
