//! The data that Prometheus gets: numbers in its format, a dashboard and rules that know their names.

use super::running::Server;
use crate::workspace::{Workspace, documents};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

fn server(place: &Workspace) -> Server {
    Server::start(place, &["--profile", "clinical", "--provider", "pattern"])
}

fn deployed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(file)
}

/// A service that has run a document.
fn after_a_document(place: &Workspace) -> Server {
    let server = server(place);
    let report = std::fs::read_to_string(documents().join("pathology-gastric.txt")).unwrap();
    let job = server.post("/api/jobs", &json!({"text": report, "file_name": "Ada Lovelace.txt"})).is(202);
    server.finished(job.json()["id"].as_str().unwrap());
    server
}

fn metrics(server: &Server) -> String {
    let answer = server.get("/metrics").is(200);
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    answer.text()
}

/// The value of one series.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no `{series}` in:\n{text}")).parse().unwrap()
}

/// Returns whether a number is exactly this: all of them are whole.
fn is(found: f64, expected: u32) -> bool {
    (found - f64::from(expected)).abs() < f64::EPSILON
}

#[test]
fn a_document_is_counted_and_never_named() {
    let place = Workspace::new();
    let server = after_a_document(&place);
    let text = metrics(&server);
    assert!(
        is(value(&text, "loopctl_submissions_total{profile=\"clinical\",outcome=\"accepted\"}"), 1),
        "{text}"
    );
    let documents: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("loopctl_documents_total{profile=\"clinical\""))
        .collect();
    assert_eq!(documents.len(), 1, "{text}");
    assert!(is(value(&text, "marc_iteration_count_count{profile=\"clinical\"}"), 1));
    assert!(is(value(&text, "marc_final_score_count{profile=\"clinical\"}"), 1));
    assert!(is(value(&text, "marc_processing_time_ms_count{profile=\"clinical\"}"), 1));
    let met = value(&text, "marc_threshold_met_rate{profile=\"clinical\"}");
    assert!((0.0..=1.0).contains(&met), "{met}");
    assert!(value(&text, "loopctl_calls_total{provider=\"pattern\",outcome=\"answered\"}") >= 1.0, "{text}");
    assert!(is(
        value(&text, "loopctl_http_requests_total{method=\"POST\",route=\"/api/jobs\",status=\"202\"}"),
        1
    ));
    assert!(text.contains("route=\"/api/jobs/{job}/events\""), "{text}");
    assert!(!text.contains("Lovelace"), "{text}");
    // What is over neither waits nor runs.
    assert!(!text.contains("loopctl_queue_documents{"), "{text}");
}

#[test]
fn what_is_made_up_makes_no_series_of_its_own() {
    let place = Workspace::new();
    let server = server(&place);
    for path in ["/nothing/1", "/nothing/2"] {
        server.get(path).is(404);
    }
    server.request("FROB", "/metrics").admin().send();
    let text = metrics(&server);
    assert!(
        is(value(&text, "loopctl_http_requests_total{method=\"GET\",route=\"none\",status=\"404\"}"), 2),
        "{text}"
    );
    assert!(
        text.contains("method=\"other\"") && !text.contains("FROB") && !text.contains("/nothing"),
        "{text}"
    );
}

#[test]
fn numbers_are_for_those_with_a_token() {
    let place = Workspace::new();
    let server = server(&place);
    server.request("GET", "/metrics").send().is(401);
    let added = place.run(&["serve", "token", "add", "prometheus", "--role", "submit", "--data", "data"]);
    server.request("GET", "/metrics").token(added.out.trim()).send().is(200);
}

#[test]
fn whether_it_is_ready_is_for_everybody() {
    let place = Workspace::new();
    let server = server(&place);
    assert_eq!(server.request("GET", "/healthz").send().is(200).text(), "ok\n");
    assert_eq!(server.request("GET", "/readyz").send().is(200).text(), "ready\n");
}

/// Returns whether a program can be run; where it can't be, and need not be, prints that nothing was tried.
fn can_run(program: &str) -> bool {
    let can =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let is_required = std::env::var("LOOPCTL_PROMETHEUS").is_ok_and(|it| it == "required");
    assert!(can || !is_required, "`{program}` is required and can't be run");
    if !can {
        eprintln!("not tried: there is no `{program}` here");
    }
    can
}

fn promtool(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new("promtool");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The one name that Prometheus would spell otherwise is the reliability loop's own.
#[test]
fn prometheus_reads_the_format() {
    if !can_run("promtool") {
        return;
    }
    let place = Workspace::new();
    let text = metrics(&after_a_document(&place));
    let checked = promtool(&["check", "metrics"], &text);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    let complaints: Vec<&str> =
        said.lines().filter(|line| !line.contains("marc_processing_time_ms") && !line.is_empty()).collect();
    assert_eq!(complaints, Vec::<&str>::new(), "{text}");
    assert!(said.contains("marc_processing_time_ms") || checked.status.success(), "{said}");
}

#[test]
fn the_alert_rules_can_be_loaded() {
    if !can_run("promtool") {
        return;
    }
    let rules = deployed("prometheus/alerts.yaml");
    let checked = promtool(&["check", "rules", "--lint=all", rules.to_str().unwrap()], "");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let tested = promtool(&["test", "rules", deployed("prometheus/alerts-test.yaml").to_str().unwrap()], "");
    assert!(
        tested.status.success(),
        "{}{}",
        String::from_utf8_lossy(&tested.stdout),
        String::from_utf8_lossy(&tested.stderr)
    );
}

/// Names of metrics that a text mentions.
fn mentioned(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_ours = |word: &&str| word.starts_with("marc_") || word.starts_with("loopctl_");
    words.filter(is_ours).map(str::to_owned).collect()
}

/// The names that `/metrics` may have, by what declares them.
fn declared() -> BTreeSet<String> {
    let source = concat!(
        include_str!("../../../crates/serve/src/metrics/mod.rs"),
        include_str!("../../../crates/serve/src/metrics/requests.rs"),
        include_str!("../../../crates/serve/src/trends/measures.rs")
    );
    let mut names = mentioned(source);
    let histograms: Vec<String> = names
        .iter()
        .flat_map(|name| ["bucket", "sum", "count"].map(|part| format!("{name}_{part}")))
        .collect();
    names.extend(histograms);
    names
}

/// A rule or panel over a name that there is not is silent for ever.
#[test]
fn rules_and_dashboard_ask_for_what_there_is() {
    let declared = declared();
    for file in ["prometheus/alerts.yaml", "grafana/loopctl.json"] {
        let text = std::fs::read_to_string(deployed(file)).unwrap();
        let asked: Vec<String> =
            mentioned(&text).into_iter().filter(|name| !declared.contains(name)).collect();
        assert_eq!(asked, Vec::<String>::new(), "{file}");
        for name in [
            "marc_iteration_count",
            "marc_final_score",
            "marc_processing_time_ms",
            "marc_improvement_per_iteration",
        ] {
            assert!(text.contains(name), "{file} lacks {name}");
        }
    }
}

/// The requirements of Grafana on a dashboard: a version of the schema, panels with ids of their own and queries.
#[test]
fn the_dashboard_is_one() {
    let text = std::fs::read_to_string(deployed("grafana/loopctl.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    assert!(dashboard["schemaVersion"].as_u64().is_some_and(|version| version >= 36));
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        assert!(!panel["targets"].as_array().unwrap().is_empty(), "{panel}");
        assert!(panel["title"].is_string() && panel["gridPos"]["w"].is_u64(), "{panel}");
        assert_eq!(panel["datasource"]["uid"], "${source}", "{panel}");
    }
}

/// A Prometheus that ends when it is dropped.
struct Prometheus(Child);

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The body of a server's answer to a GET, if it answers.
fn asked(port: u16, path: &str) -> Option<String> {
    use std::io::Read;
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut said = String::new();
    stream.read_to_string(&mut said).ok()?;
    said.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())
}

/// A port that is free at the moment.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// As `docs/operating/metrics.md` shows it: the token comes from a file.
#[test]
#[ignore = "long"]
fn a_real_prometheus_scrapes_the_service_and_loads_the_rules() {
    if !can_run("prometheus") {
        return;
    }
    let place = Workspace::new();
    let server = after_a_document(&place);
    let added = place.run(&["serve", "token", "add", "prometheus", "--role", "submit", "--data", "data"]);
    place.write("token", added.out);
    place.write(
        "prometheus.yml",
        format!(
            "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [{}]\nscrape_configs:\n  - job_name: loopctl\n    authorization: {{ credentials_file: {} }}\n    static_configs: [{{ targets: [\"{}\"] }}]\n",
            deployed("prometheus/alerts.yaml").display(),
            place.path("token").display(),
            server.address
        ),
    );
    let port = free_port();
    let _prometheus = Prometheus(
        Command::new("prometheus")
            .arg(format!("--config.file={}", place.path("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", place.path("prometheus-data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let query = "/api/v1/query?query=marc_final_score_count";
    let found = (0..600).find_map(|_| {
        let found = asked(port, query).filter(|body| body.contains("\"profile\":\"clinical\""));
        if found.is_none() {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        found
    });
    let found = found.unwrap_or_else(|| panic!("{:?}", asked(port, "/api/v1/targets")));
    assert!(found.contains("\"1\""), "{found}");
    let rules: Value = serde_json::from_str(&asked(port, "/api/v1/rules").unwrap()).unwrap();
    let groups = rules["data"]["groups"].as_array().unwrap();
    let rules: Vec<&Value> = groups.iter().flat_map(|group| group["rules"].as_array().unwrap()).collect();
    assert!(rules.len() >= 10, "{rules:?}");
    assert!(rules.iter().all(|rule| rule["health"] != "err"), "{rules:?}");
}
