//! The limits of one request, or one token: none ends the service, learns about its machine, or takes all of it.

use super::running::Server;
use crate::workspace::{PLENTY, Workspace, documents};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Instant;

fn server(place: &Workspace) -> Server {
    Server::start(place, &["--profile", "clinical", "--provider", "pattern"])
}

/// A token that may submit documents and nothing else.
fn submitter(place: &Workspace, name: &str) -> String {
    place.run(&["serve", "token", "add", name, "--role", "submit", "--data", "data"]).out.trim().to_owned()
}

/// The result of a document, which is not decided about.
fn after_a_document(server: &Server) -> Value {
    let report = std::fs::read_to_string(documents().join("pathology-gastric.txt")).unwrap();
    let job = server.post("/api/jobs", &json!({"text": report, "file_name": "gastric.txt"})).is(202).json();
    server.finished(job["id"].as_str().unwrap())
}

#[test]
fn no_request_of_any_token_ends_the_service() {
    let place = Workspace::new();
    let server = server(&place);
    let token = submitter(&place, "mallory");
    let dots = |top: &str, parts: usize| format!("{top}{}", ".a".repeat(parts));
    let deep = |open: &str, close: &str, depth: usize| open.repeat(depth) + close.repeat(depth).as_str();
    let settings = |key: String| json!({"text": "x", "extraction": {}, "settings": {key: 1}});
    let up = |steps: usize| format!("extends: {}x.yaml\n", "../".repeat(steps));
    let patch = |steps: usize| json!({"document": {"text": "x"}, "history": [{"candidate": [{"op": "replace", "path": "/a".repeat(steps), "value": 1}]}]});
    for body in [
        settings(dots("accept", 3_000)),
        settings(dots("accept", 100_000)),
        settings(dots("variables", 3_000)),
        settings(format!("accept{}", ".*".repeat(50_000))),
        json!({"text": "x", "extraction": {}, "settings": {"accept": "x".repeat(1 << 20)}}),
        json!({"text": "x", "extraction": {"a": vec!["s"; 100_000]}}),
        json!({"text": "x", "extraction": {"/a".repeat(50_000): 1}}),
    ] {
        let answer = server.request("POST", "/api/score").token(&token).json(&body).send();
        assert!((400..500).contains(&answer.status) || answer.status == 200, "{}", answer.text());
    }
    for parts in [100, 3_000, 100_000] {
        let body = json!({"text": "x", "settings": {dots("stop", parts): 1}});
        server.request("POST", "/api/jobs").token(&token).json(&body).send().is(422);
        let fields = [("setting", format!("{}=1", dots("accept", parts)))];
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let form = server.request("POST", "/api/uploads").token(&token).files(&fields, &[("a.txt", "x")]);
        form.send().is(422);
    }
    let many: Vec<(&str, &str)> = vec![("setting", "accept.overall=0.9"); 50_000];
    server.request("POST", "/api/uploads").token(&token).files(&many, &[("a.txt", "x")]).send().is(422);
    for yaml in [
        up(64),
        up(10_000),
        format!("extends: profiles/{}x.yaml\n", "a/".repeat(10_000)),
        format!("extends: {}\n", "./".repeat(20_000)),
        format!("extends: clinical\nassess: {{ x: {{ rules: {}x }} }}\n", "a/".repeat(10_000)),
        format!("a: {}", deep("[", "]", 10_000)),
        format!("a: {}1{}", "{a: ".repeat(10_000), "}".repeat(10_000)),
        format!("extends: clinical\nreview: \"{}a{}\"\n", "(".repeat(10_000), ")".repeat(10_000)),
        format!("extends: clinical\nreview: \"{}a\"\n", "not ".repeat(10_000)),
        format!("extends: clinical\nmask:\n{}", "- pattern: '\\w{200}'\n".repeat(2_000)),
        format!("extends: clinical\nmask:\n- pattern: '{}x{}'\n", "(".repeat(10_000), ")".repeat(10_000)),
        format!(
            "extends: clinical\njudges: {{{}}}\n",
            (0..3_000).map(|at| format!("j{at}: {{prompt: p{at}.md}},")).collect::<String>()
        ),
        "x".repeat(1 << 20),
    ] {
        let answer = server.request("POST", "/api/check").token(&token).json(&json!({ "yaml": yaml })).send();
        assert!(matches!(answer.status, 200 | 413), "{}", answer.text());
        if answer.status == 200 {
            assert_eq!(answer.json()["usable"], false, "{}", yaml.chars().take(80).collect::<String>());
        }
    }
    for steps in [1_000, 50_000] {
        let answer = server.request("POST", "/api/next").token(&token).json(&patch(steps)).send();
        assert!((400..500).contains(&answer.status) || answer.status == 200, "{}", answer.text());
    }
    let nested = format!("{{\"text\":\"x\",\"extraction\":{}}}", deep("[", "]", 100_000));
    for path in ["/api/score", "/api/next", "/api/check", "/api/jobs", "/api/upload/process-v2"] {
        let request = server.request("POST", path).token(&token).body("application/json", nested.as_bytes());
        let answer = request.send();
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.text());
    }
    server.request("GET", "/healthz").send().is(200);
    server.get("/api/jobs").is(200);
}

#[test]
fn no_field_of_the_desk_is_so_deep_that_it_ends_the_service() {
    let place = Workspace::new();
    let server = server(&place);
    let job = after_a_document(&server);
    let desk = format!("/review/{}/{}", job["run"].as_str().unwrap(), job["document"].as_str().unwrap());
    let page = server.get(&desk).is(200).text();
    let hidden = |name: &str| {
        let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    for steps in [200, 50_000, 500_000] {
        for decision in ["edit", "add", "accept"] {
            let form = format!(
                "decision={decision}&field={}&after=1&shown={}&seen={}",
                "%2F0".repeat(steps),
                hidden("shown"),
                hidden("seen")
            );
            for verb in ["check", "decide"] {
                let request = server.request("POST", &format!("{desk}/{verb}")).admin();
                let answer = request.body("application/x-www-form-urlencoded", form.as_bytes()).send();
                assert!((400..500).contains(&answer.status), "{verb}: {} {}", answer.status, answer.text());
            }
        }
    }
    server.request("GET", "/healthz").send().is(200);
}

/// A check must not reveal what the machine of the service has, nor what is in its environment.
#[test]
#[ignore = "long"]
fn a_check_tells_nothing_of_the_machine() {
    let place = Workspace::new();
    place.write("secret.txt", "s3cret-in-a-file");
    place.write("data.yaml", "extends: clinical\n");
    place.write("rules/mine.yaml", "rules: []\n");
    let mut command = place.process();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--profile", "clinical"]);
    command.args(["--provider", "pattern", "--provider-config", "note=s3cret-of-the-start"]);
    command.env("HTTPS_PROXY", "http://user:s3cret-proxy@proxy.example:3128").env("PLAIN", "s3cret-plain");
    command.env("OPENAI_API_KEY", "s3cret-key");
    let server = Server::of(command);
    let token = submitter(&place, "mallory");
    let said = |yaml: &str| {
        let answer = server.request("POST", "/api/check").token(&token).json(&json!({ "yaml": yaml })).send();
        let text = answer.is(200).text();
        assert!(!text.contains("s3cret"), "{yaml}: {text}");
        text
    };
    for yaml in [
        "extends: ${HTTPS_PROXY}",
        "extends: clinical\ndescription: ${PLAIN}",
        "extends: clinical\nstop: { max_iterations: '${PLAIN}' }",
        "extends: clinical\nstages: [{ id: x, provider: '${HTTPS_PROXY}', prompt: extract.md, output: a.json }]",
        "extends: clinical\naccept: { '${PLAIN}': 1 }",
        "extends: clinical\nnetwork: { proxy: '${HTTPS_PROXY}' }",
    ] {
        said(yaml);
    }
    let unset = said("extends: ${PLAIN}");
    assert!(unset.contains("without the environment"), "{unset}");
    assert_eq!(unset.replace("PLAIN", "NONE_OF_THIS_NAME"), said("extends: ${NONE_OF_THIS_NAME}"));
    // The report is the same where there is something and where there is nothing.
    let root = place.path("");
    let here = root.to_str().unwrap().trim_end_matches('/');
    let own = [format!("{here}/secret.txt"), format!("{here}/nothing.txt")];
    let outer = [format!("{here}/data.yaml"), format!("{here}/none.yaml")];
    // None of the names is a word of the reports.
    let pairs = [
        ("/etc/passwd", "/etc/nonesuch"),
        ("/etc/shadow", "/etc/nonesuch"),
        ("secret.txt", "nothing.txt"),
        ("./data.yaml", "./none.yaml"),
        ("../../data.yaml", "../../none.yaml"),
        ("data/journal.sqlite", "data/nothing.sqlite"),
        ("data", "datum"),
        (own[0].as_str(), own[1].as_str()),
        (outer[0].as_str(), outer[1].as_str()),
    ];
    for (there, nothing) in pairs {
        for yaml in [
            "extends: 'FILE'",
            "extends: clinical\nclassify: 'FILE'",
            "extends: clinical\nassess: { validity: { rules: 'FILE' } }",
            "extends: clinical\nassess: { completeness: { rubric: 'FILE' } }",
            "extends: clinical\nassess: { validity: { script: 'FILE:f' } }",
            "extends: clinical\nfeedback: { template: 'FILE' }",
            "extends: clinical\nstages: [{ id: x, provider: 'FILE', prompt: extract.md, output: pathology.schema.json }]",
            "extends: clinical\nstages: [{ id: x, provider: pattern, prompt: 'FILE', output: pathology.schema.json }]",
            "extends: clinical\nstages: [{ id: x, provider: pattern, prompt: extract.md, output: 'FILE' }]",
            "extends: clinical\nstages: [{ id: x, provider: pattern, prompt: extract.md, output: pathology.schema.json, patterns: 'FILE' }]",
            "extends: clinical\njudges: { j: { provider: 'FILE', prompt: 'FILE' } }",
        ] {
            let (one, other) = (said(&yaml.replace("FILE", there)), said(&yaml.replace("FILE", nothing)));
            // The locations of what follows differ by the lengths of the names.
            let plain = |text: &str, name: &str| {
                let problems: Value = serde_json::from_str(text).unwrap();
                let problems = problems["problems"].as_array().unwrap().clone();
                let words =
                    problems.iter().map(|one| format!("{} {} {}", one["code"], one["message"], one["help"]));
                words
                    .collect::<Vec<_>>()
                    .join("\n")
                    .replace(name, "FILE")
                    .replace(name.rsplit('/').next().unwrap(), "FILE")
            };
            assert_eq!(plain(&one, there), plain(&other, nothing), "{yaml} {there}");
        }
    }
    // What belongs to the project is inspected.
    let usable = |yaml: &str| serde_json::from_str::<Value>(&said(yaml)).unwrap()["usable"].clone();
    assert_eq!(usable("extends: clinical\naccept: { overall: 0.9 }\n"), true);
    let mine = said("extends: clinical\nassess: { validity: { rules: mine } }\n");
    assert!(!mine.contains("there is no file"), "{mine}");
    let key = said(
        "extends: clinical\nstages: [{ id: x, provider: 'openai:m', prompt: extract.md, output: pathology.schema.json }]",
    );
    assert!(!key.contains("OPENAI_API_KEY"), "{key}");
}

/// The providers of the profile and its spending are the operator's matter, wherever settings are given.
#[test]
fn a_request_sets_what_decides_and_nothing_else() {
    let place = Workspace::new();
    let server = server(&place);
    for key in [
        "stages.*.provider",
        "network.proxy",
        "mask",
        "extends",
        "feedback.template",
        "judges",
        "assess.x.script",
    ] {
        let settings = json!({"text": "x", "extraction": {}, "settings": {key: "/etc/passwd"}});
        let refused = server.post("/api/score", &settings).is(422).text();
        assert!(refused.contains("can't be set by a request"), "{refused}");
        let settings = json!({"text": "x", "settings": {key: "x"}});
        server.post("/api/jobs", &settings).is(422);
    }
    let set = json!({"text": "x", "extraction": {}, "settings": {"accept.overall": 0.5, "variables.task": "so\n\"it\" is"}});
    server.post("/api/score", &set).is(200);
}

/// The head of a stream that stays open.
fn stream(server: &Server, path: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
    (line.split(' ').nth(1).unwrap().parse().unwrap(), stream)
}

#[test]
fn streams_of_one_name_lock_nobody_out() {
    let place = Workspace::new();
    let server = server(&place);
    let job = after_a_document(&server);
    let path = format!("/api/runs/{}/events", job["run"].as_str().unwrap());
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..16 {
        let (status, stream) = stream(&server, &path);
        assert_eq!(status, 200);
        open.push(stream);
    }
    assert_eq!(stream(&server, &path).0, 429);
    server.request("GET", "/readyz").send().is(200);
    server.get("/api/jobs").is(200);
    // A client that has left has none.
    open.clear();
    let begun = Instant::now();
    while stream(&server, &path).0 != 200 {
        assert!(begun.elapsed() < PLENTY);
    }
}

/// Each request has at most 64 KB of headers.
#[test]
fn headers_have_their_bound_whoever_sends_them() {
    let place = Workspace::new();
    let server = server(&place);
    let sent = |bytes: usize| {
        let value = "x".repeat(8_000);
        let mut request = server.request("GET", "/metrics").admin();
        for at in 0..bytes / 8_000 {
            request = request.header(&format!("X-{at}"), &value);
        }
        request.send().status
    };
    assert_eq!((sent(48_000), sent(72_000), sent(104_000)), (200, 431, 431));
    let long = server.request("GET", &format!("/metrics?{}", "a".repeat(66_000))).admin().send();
    assert!(matches!(long.status, 414 | 431), "{}", long.head);
}

/// Each profile with other settings is a run, and takes memory for as long as it has something to do: how many came before
/// counts neither against who comes next nor for memory.
#[test]
#[ignore = "long"]
fn settings_that_are_done_with_take_neither_places_nor_memory() {
    let place = Workspace::new();
    let server = server(&place);
    let memory = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
    };
    let mut runs = BTreeSet::new();
    let mut submit = |from: usize, to: usize| {
        for number in from..to {
            let settings = json!({ "accept.overall": 0.5 + number as f64 / 1_000.0 });
            let submitted = json!({ "text": format!("Report {number}."), "settings": settings });
            let job = server.post("/api/jobs", &submitted).is(202).json();
            runs.insert(server.finished(job["id"].as_str().unwrap())["run"].to_string());
        }
        memory()
    };
    let (before, some, many) = (submit(0, 1), submit(1, 15), submit(15, 80));
    assert_eq!(runs.len(), 80);
    if let (Some(before), Some(some), Some(many)) = (before, some, many) {
        // The first settings also fill what stays, including a run's slot for each worker. A leak would continue at
        // that rate.
        let (first, later) = ((some - before) / 14, many.saturating_sub(some) / 65);
        assert!(later < first / 2, "{before} kB, with 15 settings {some} kB, with 80 {many} kB");
    }
}
