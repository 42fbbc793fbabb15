//! Verbs as other hosts call them: a request and a context in, an answer out, without the program, its arguments and its streams.

use super::evaluate::{label, place, results};
use super::workspace::Workspace;
use loopctl::experiment::prove::Effort;
use loopctl_app::calibration::{CalibrationAnswer, CalibrationRequest, CalibrationTask, answer};
use loopctl_app::context::Context;
use loopctl_app::evaluation::{EvaluationRequest, FreshRunRequest, ResultSpec, evaluate};
use loopctl_app::execution::{RunHost, RunOptions, Step, run, take_step};
use loopctl_app::explanation::{ExplainRequest, Explanation, TextForm, explain};
use loopctl_app::failure::ExitStatus;
use loopctl_app::journals::JournalSpec;
use loopctl_app::profiles::SelectedProfile;
use loopctl_app::proofs::{ProofRequest, prove};
use loopctl_app::report::{Paint, reviewed_document_text};
use loopctl_app::requests::{ResultFormat, RunRequest};
use loopctl_app::resumption::RunSelection;
use loopctl_app::run_export::{RunFileRequest, write_results, write_run_file};
use loopctl_app::run_reviews::{ReviewShowRequest, document_under_review};
use loopctl_app::streams::{Stream, Streams};
use loopctl_app::trials::{SimulationRequest, simulate};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A stream into memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Memory {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// The context of a workspace, and streams whose contents can be read.
struct Host {
    context: Context,
    output: Streams,
    out: Memory,
    err: Memory,
}

impl Host {
    fn of(place: &Workspace) -> Self {
        let home = place.home().into_os_string();
        let variables = move |name: &str| (name == "LOOPCTL_HOME").then(|| home.clone());
        let clock = || jiff::Timestamp::UNIX_EPOCH;
        let (out, err) = (Memory::default(), Memory::default());
        Host {
            context: Context::new(
                place.path(""),
                variables,
                Some(env!("CARGO_BIN_EXE_loopctl").into()),
                clock,
            ),
            output: Streams::new(Stream::plain(out.clone()), Stream::plain(err.clone())),
            out,
            err,
        }
    }
}

fn evaluation(place: &Workspace, results: ResultSpec) -> EvaluationRequest {
    EvaluationRequest {
        labels: vec![place.path("gold.jsonl")],
        reviewed: false,
        columns: None,
        results,
        journal: JournalSpec::default(),
        profile: Some(place.path("profiles/mine.yaml").to_str().unwrap().to_owned()),
        settings: Vec::new(),
        confidence: 0.95,
        report: None,
    }
}

#[test]
fn an_evaluation_is_a_value_and_a_fresh_run_is_made_for_it() {
    let place = place();
    place.write("gold.jsonl", label("reports/a.txt", json!({ "grade": "G2", "margins": "involved" })));
    let extraction = json!({ "grade": "2", "margins": "uninvolved" });
    let written = results(&place, &[("reports/a.txt", true, 0.9, extraction)]);
    place.write("results.jsonl", &written);
    let mut host = Host::of(&place);
    let request = evaluation(&place, ResultSpec::Files(place.path("results.jsonl")));
    let answer = evaluate(&request, &host.context, RunHost::default(), &mut host.output).unwrap();
    assert!(!answer.is_incomplete && answer.failure().is_none());
    let evaluated = json!(answer.evaluation);
    let mut arguments =
        ["evaluate", "gold.jsonl", "--profile", "mine", "--results"].map(str::to_owned).to_vec();
    let file = place.path("results.jsonl").to_str().unwrap().to_owned();
    arguments.extend([file, "--format".to_owned(), "json".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = place.run(&arguments).exits(0).json();
    assert_eq!(evaluated["documents"], printed["documents"]);
    assert_eq!(evaluated["fields"], printed["fields"]);
    // The run is made first, and kept like any other.
    let fresh = FreshRunRequest { documents: Some(place.path("")), typed: false };
    let request = evaluation(&place, ResultSpec::Fresh(fresh));
    let fresh = evaluate(&request, &host.context, RunHost::default(), &mut host.output).unwrap();
    assert_eq!(json!(fresh.evaluation)["documents"]["evaluated"], 1);
    assert_eq!(place.run(&["runs", "export"]).exits(0).lines()[0]["id"], "reports/a.txt");
    assert_eq!((host.out.text(), host.err.text()), (String::new(), String::new()));
}

/// A request for a run over the reports, and its options for a host that wants the results.
fn run_of_reports(place: &Workspace) -> (RunRequest, RunOptions) {
    let profile = SelectedProfile::of(place.path("profiles/mine.yaml").to_str().unwrap(), &[]);
    let request = RunRequest {
        inputs: vec![place.path("reports").as_path().into()],
        journal: Some(place.path("journal.sqlite").as_path().into()),
        quiet: true,
        ..RunRequest::of(profile.spec.clone())
    };
    (request, RunOptions { profile, returns_results: true, ..RunOptions::default() })
}

#[test]
fn a_run_is_carried_out_and_its_results_are_values() {
    let place = place();
    let mut host = Host::of(&place);
    let (request, options) = run_of_reports(&place);
    let ran = run(request.clone(), options, &host.context, &mut host.output).unwrap();
    assert!(matches!(ran.exit, ExitStatus::Success | ExitStatus::NotPassed), "{:?}", ran.exit);
    let ids: Vec<&str> = ran.results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    // It is in the journal like any other.
    let exported = place.run(&["runs", "export", "--journal", "journal.sqlite"]).exits(0).lines();
    assert_eq!(json!(exported), json!(ran.results));
    let (_, options) = run_of_reports(&place);
    let options = RunOptions { selection: RunSelection::Latest, ..options };
    let resumed = run(request, options, &host.context, &mut host.output).unwrap();
    assert_eq!((resumed.exit, resumed.results.len()), (ran.exit, 0));
    assert_eq!((host.out.text(), host.err.text()), (String::new(), String::new()));
}

#[test]
fn a_host_can_stop_the_run_that_it_carries_out() {
    let place = place();
    let mut host = Host::of(&place);
    let (request, options) = run_of_reports(&place);
    let stopping =
        RunHost { listen: |stops| stops.drain.send(true).unwrap_or_default(), ..RunHost::default() };
    let options = RunOptions { host: stopping, ..options };
    let ran = run(request, options, &host.context, &mut host.output).unwrap();
    assert_eq!((ran.exit, ran.results.len()), (ExitStatus::Interrupted, 0));
}

#[test]
fn a_step_is_taken_by_a_request() {
    let place = place();
    let mut host = Host::of(&place);
    let (request, options) = run_of_reports(&place);
    let extraction = place.write("a.json", json!({ "grade": "2", "margins": "uninvolved" }).to_string());
    let request = RunRequest {
        inputs: vec![place.path("reports/a.txt").as_path().into()],
        extraction: Some(extraction.as_path().into()),
        ..request
    };
    let taken = take_step(Step::Verdict, request, options, &host.context, &mut host.output).unwrap();
    let [result] = taken.results.as_slice() else { panic!("{:?}", taken.results) };
    assert_eq!(result.best_extraction.as_ref().unwrap()["grade"], "2");
    assert!(!place.path("journal.sqlite").exists(), "a step is in no journal");
}

#[test]
fn thresholds_are_answered_and_their_certificate_has_the_time_of_the_host() {
    let place = place();
    let labels: Vec<String> = (0..400)
        .map(|number| {
            let line = json!({ "document": format!("d{number}"), "wrong": number % 100 == 99, "document_type": "pathology",
                               "score": f64::from(400 - number) / 400.0 });
            line.to_string()
        })
        .collect();
    let request = CalibrationRequest {
        profile: SelectedProfile::of(
            place.path("profiles/mine.yaml").to_str().unwrap(),
            &["certify={wrong_documents: 10%, confidence: 90%, grid: [0.9, 0.4], per: all}".to_owned()],
        ),
        task: CalibrationTask::Certify { out: Some(place.path("certificate.json")), report: None },
        run: None,
        journal: JournalSpec::default(),
        results: None,
        only_this_run: false,
        labels: vec![place.write("labels.jsonl", labels.join("\n"))],
    };
    let mut host = Host::of(&place);
    let CalibrationAnswer::Calibrated { calibration, certificate, of_run, .. } =
        answer(&request, &host.context, &mut host.output).unwrap()
    else {
        panic!("no thresholds")
    };
    assert!(calibration.certifies() && !of_run, "{}", host.err.text());
    assert_eq!(certificate, Some(place.path("certificate.json")));
    assert_eq!(place.json("certificate.json")["date"], "1970-01-01T00:00:00Z");
    assert_eq!(host.out.text(), "");
}

#[test]
fn a_run_is_exported_by_a_request() {
    let place = super::exports::reports();
    let mut host = Host::of(&place);
    let request = |to: PathBuf| RunFileRequest {
        run: "latest".to_owned(),
        journal: JournalSpec { file: Some(place.path("out/journal.sqlite")) },
        to,
        format: None,
        types: Vec::new(),
        corrections: Vec::new(),
        without_reviews: false,
        leave_out: Vec::new(),
        profile: None,
    };
    let written = write_run_file(&request(place.path("run.csv")), &host.context, &mut host.output).unwrap();
    assert!(written.lines()[0].starts_with("3 documents of run `"), "{:?}", written.lines());
    place.run(&["runs", "export", "--journal", "out/journal.sqlite", "--to", "same.csv"]).exits(0);
    assert_eq!(place.read("run.csv"), place.read("same.csv"));
    let refused = write_run_file(&request(place.path("run.odt")), &host.context, &mut host.output);
    assert!(refused.unwrap_err().message.contains("does not say what the file is to hold"));
    assert_eq!(host.out.text(), "");
    let journal = request(PathBuf::new()).journal;
    assert!(write_results("latest", &journal, None, &host.context, &mut host.output).unwrap());
    let lines: Vec<Value> = host.out.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, place.run(&["runs", "export", "--journal", "out/journal.sqlite"]).exits(0).lines());
    assert_eq!(host.err.text(), "");
}

#[test]
fn a_run_and_a_code_are_explained_by_requests() {
    let place = super::exports::reports();
    let mut host = Host::of(&place);
    let folder = place.path("out").to_str().unwrap().to_owned();
    let of_run = ExplainRequest { target: folder, ..ExplainRequest::default() };
    let several = explain(&of_run, &host.context, &mut host.output).unwrap();
    assert!(matches!(&several, Explanation::Documents(documents) if documents.len() == 3), "{several:?}");
    let one = ExplainRequest { document: Some("chest-x-ray".to_owned()), ..of_run.clone() };
    let story = explain(&one, &host.context, &mut host.output).unwrap();
    let written = ["explain", "out", "--document", "chest-x-ray"];
    let text = story.text(TextForm::Terminal(Paint::new(false)), false);
    assert_eq!(text, place.run(&written).exits(0).out);
    let printed = place.run(&[&written[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(story.to_json(), printed);
    let code = ExplainRequest { target: "LC101".to_owned(), ..ExplainRequest::default() };
    let page = explain(&code, &host.context, &mut host.output).unwrap();
    assert_eq!(page.to_json()["code"], "LC101");
    let refused = ExplainRequest { document: one.document, ..code };
    let refused = explain(&refused, &host.context, &mut host.output).unwrap_err();
    assert_eq!(refused.message, "`LC101` is a code, which takes no such flags");
    assert_eq!((host.out.text(), host.err.text()), (String::new(), String::new()));
}

#[test]
fn a_document_under_review_is_a_value() {
    let place = super::exports::reports();
    let mut host = Host::of(&place);
    let request = |document: &str| ReviewShowRequest {
        run: None,
        journal: JournalSpec { file: Some(place.path("out/journal.sqlite")) },
        document: document.to_owned(),
    };
    let document =
        document_under_review(&request("thyroid-resection"), &host.context, &mut host.output).unwrap();
    let shown = document.shown();
    assert!(!shown.fields.is_empty());
    let written = ["review", "show", "thyroid-resection", "--journal", "out/journal.sqlite", "--format"];
    let printed = |format: &'static str| place.run(&[&written[..], &[format]].concat()).exits(0);
    assert_eq!(json!(shown), printed("json").json());
    assert_eq!(reviewed_document_text(&shown, Paint::new(false)), printed("text").out);
    let unknown = document_under_review(&request("thyroid-resektion"), &host.context, &mut host.output);
    let help = unknown.map(|_| ()).unwrap_err().help;
    assert_eq!(help.as_deref(), Some("did you mean `thyroid-resection`?"));
    assert_eq!(host.out.text(), "");
}

/// A policy that keeps the first of its promises, and not the second.
const POLICY: &str = "
classify: null
assess: { q: given }
overall: { q: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
promises: [{ always: calls <= 2 }, { never: passed and overall < 0.95 }]
";

#[test]
fn policies_are_simulated_and_each_answer_goes_to_the_stream_of_the_host() {
    let place = Workspace::new();
    let profile = place.write("profiles/mine.yaml", POLICY);
    let line = |id: &str, score: f64| json!({ "id": id, "iterations": [{ "scores": { "q": score }, "issues": [] }] });
    let file = place.write("t.jsonl", format!("{}\n{}\n", line("good", 0.95), line("poor", 0.5)));
    let mut host = Host::of(&place);
    let request = |format: ResultFormat| SimulationRequest {
        profiles: vec![SelectedProfile::of(profile.to_str().unwrap(), &[])],
        overall_from: None,
        run: None,
        journal: JournalSpec::default(),
        files: vec![file.clone()],
        requires_issues: true,
        format,
    };
    let simulated = simulate(&request(ResultFormat::Text), &host.context, &mut host.output).unwrap();
    let [(name, tally)] = simulated.policies.as_slice() else { panic!("one policy") };
    assert_eq!((name.as_str(), tally.documents(), tally.share_accepted()), ("mine", 2, Some(0.5)));
    assert!(simulated.is_whole);
    assert_eq!(host.out.text(), "");
    simulate(&request(ResultFormat::Jsonl), &host.context, &mut host.output).unwrap();
    let ran = place.run(&["simulate", "--profile", "mine", "--format", "jsonl", "t.jsonl"]).exits(0);
    assert_eq!((host.out.text(), host.err.text()), (ran.out, ran.err));
}

#[test]
fn promises_are_proved_or_come_with_the_runs_that_break_them() {
    let place = Workspace::new();
    let profile = place.write("profiles/mine.yaml", POLICY);
    let mut host = Host::of(&place);
    let more = place.write("more.yaml", "promises: [{ always: calls <= 3 }]\n");
    let request = ProofRequest {
        profile: SelectedProfile::of(profile.to_str().unwrap(), &[]),
        promises: vec![more.clone()],
        effort: Effort::default(),
    };
    let answer = prove(&request, &host.context, &mut host.output).unwrap();
    assert!(answer.proof.is_broken());
    assert_eq!(answer.runs().len(), 1);
    let [profile, more] = [&profile, &more].map(|path| path.to_str().unwrap());
    let ran = place.run(&["prove", profile, "--promises", more, "--format", "json"]).exits(3);
    assert_eq!(answer.to_json()["promises"], ran.json()["promises"]);
    assert_eq!((host.out.text(), host.err.text()), (String::new(), String::new()));
}
