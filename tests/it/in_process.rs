//! Verbs as other hosts call them: a request and a context in, an answer out, without the program, its arguments and its streams.

use super::evaluate::{label, place, results};
use super::workspace::Workspace;
use loopctl::experiment::prove::Effort;
use loopctl_app::calibration::{CalibrationAnswer, CalibrationRequest, CalibrationTask, answer};
use loopctl_app::context::Context;
use loopctl_app::evaluation::{EvaluationRequest, FreshRun, FreshRunRequest, ResultSpec, evaluate};
use loopctl_app::failure::ExitStatus;
use loopctl_app::journals::JournalSpec;
use loopctl_app::profiles::SelectedProfile;
use loopctl_app::proofs::{ProofRequest, prove};
use loopctl_app::requests::ResultFormat;
use loopctl_app::run_export::{RunFileRequest, write_results, write_run_file};
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
            context: Context::new(place.path(""), variables, None, clock),
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
fn an_evaluation_is_a_value_and_a_fresh_run_is_made_by_its_host() {
    let place = place();
    place.write("gold.jsonl", label("reports/a.txt", json!({ "grade": "G2", "margins": "involved" })));
    let extraction = json!({ "grade": "2", "margins": "uninvolved" });
    let written = results(&place, &[("reports/a.txt", true, 0.9, extraction)]);
    place.write("results.jsonl", &written);
    let mut host = Host::of(&place);
    let request = evaluation(&place, ResultSpec::Files(place.path("results.jsonl")));
    let answer =
        evaluate(&request, &host.context, &mut |_, _, _| panic!("no run"), &mut host.output).unwrap();
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
    // The host makes the run.
    let mut asked = Vec::new();
    let request = evaluation(
        &place,
        ResultSpec::Fresh(FreshRunRequest { documents: Some(place.path("")), typed: false }),
    );
    let fresh = evaluate(
        &request,
        &host.context,
        &mut |_, documents, _| {
            asked.extend(documents.iter().map(|document| document.path.clone()));
            let results = vec![serde_json::from_str(&written).unwrap()];
            Ok(FreshRun { results, exit: ExitStatus::Success })
        },
        &mut host.output,
    )
    .unwrap();
    assert_eq!(asked, [place.path("reports/a.txt")]);
    assert_eq!(json!(fresh.evaluation)["documents"], evaluated["documents"]);
    assert_eq!((host.out.text(), host.err.text()), (String::new(), String::new()));
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
