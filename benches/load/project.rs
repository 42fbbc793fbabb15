//! A folder with documents and a profile, and the commands that run it.

use super::LoadFailure;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) struct LoadProject {
    folder: tempfile::TempDir,
    loopctl: PathBuf,
    document_bytes: usize,
}

const PROFILE: &str = r#"
name: load
assess:
  completeness: { rubric: load }
  validity: { rules: load, penalty: 0.2, floor: 0.2 }
overall: { completeness: 0.5, validity: 0.5 }
accept: { overall: 0.99 }
stop: { max_iterations: 5 }
classify: null
stages:
  - { id: extract, provider: "openai:stub", prompt: load.md, output: schemas/load.schema.json }
feedback: { template: load-feedback.md }
"#;

const RUBRIC: &str = "
rubric: load
weights: { required: 1.0, important: 0.7, optional: 0.3 }
types:
  unknown:
    required: [histology, grade, margins]
    important: [stage, markers]
";

impl LoadProject {
    /// A project with so many documents, a thousand in a folder.
    pub(super) fn new(loopctl: PathBuf, count: usize) -> Result<Self, LoadFailure> {
        let folder = tempfile::tempdir()?;
        let at = |path: &str| folder.path().join(path);
        for (path, text) in FILES {
            let path = at(path);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            std::fs::write(path, text)?;
        }
        let mut document_bytes = 0;
        for number in 0..count {
            let path = at(&document_path(number));
            if number % 1_000 == 0 {
                std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            }
            let text = document(number);
            document_bytes = text.len();
            std::fs::write(path, text)?;
        }
        std::fs::create_dir_all(at("home"))?;
        if !loopctl.is_file() {
            return Err(format!("there is no `{}`: build it first", loopctl.display()).into());
        }
        Ok(LoadProject { folder, loopctl, document_bytes })
    }

    pub(super) fn document_bytes(&self) -> usize {
        self.document_bytes
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self, address: SocketAddr) -> Command {
        let mut command = Command::new(&self.loopctl);
        command
            .current_dir(self.folder.path())
            .env("LOOPCTL_HOME", self.path("home"))
            .env("OPENAI_BASE_URL", format!("http://{address}/v1"))
            .env("OPENAI_API_KEY", "k")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs every document.
    pub(super) fn run(&self, address: SocketAddr, jobs: usize) -> Command {
        let mut command = self.command(address);
        command.args(["run", "--profile", "load", "--quiet", "--format", "jsonl", "--jobs"]);
        command.arg(jobs.to_string()).args(["--journal", "journal.sqlite", "documents"]);
        command
    }

    /// Resumes the run.
    pub(super) fn resume(&self, address: SocketAddr, jobs: usize) -> Command {
        let mut command = self.command(address);
        command.args(["resume", "--quiet", "--journal", "journal.sqlite", "--jobs"]).arg(jobs.to_string());
        command
    }

    /// Serves the profile, with its data in the folder `data`.
    pub(super) fn serve(&self, address: SocketAddr, jobs: usize) -> Command {
        let mut command = self.command(address);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--profile", "load", "--jobs"]);
        command.arg(jobs.to_string());
        command
    }

    /// The journal of the service.
    pub(super) fn service_journal(&self) -> Result<loopctl::store::Journal, LoadFailure> {
        Ok(loopctl::store::Journal::open(self.path("data/journal.sqlite"))?)
    }

    /// One of the documents.
    pub(super) fn document(&self, number: usize) -> PathBuf {
        self.path(&document_path(number))
    }

    /// Like [`LoadProject::run`], by the hand-written loop.
    pub(super) fn by_hand(&self, address: SocketAddr) -> Result<Command, LoadFailure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("by-hand").arg("0").arg(self.path("documents")).arg(address.to_string());
        command.stdout(Stdio::null());
        Ok(command)
    }

    pub(super) fn journal(&self) -> Result<loopctl::store::Journal, LoadFailure> {
        Ok(loopctl::store::Journal::open(self.path("journal.sqlite"))?)
    }

    /// Fails unless every document of the latest run has passed.
    pub(super) fn assert_passed(&self, count: usize) -> Result<(), LoadFailure> {
        let journal = self.journal()?;
        let run = journal.runs()?.pop().ok_or("there is no run")?;
        let mut passed = 0;
        journal.each_document(&run.id, |_, outcome| {
            let status = outcome.as_ref().and_then(|outcome| outcome.get("final_status")?.as_str());
            passed += usize::from(status == Some("passed"));
        })?;
        if passed == count { Ok(()) } else { Err(format!("{passed} of {count} documents passed").into()) }
    }

    /// Removes the journal.
    pub(super) fn clear(&self) -> Result<(), LoadFailure> {
        for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
            let _ = std::fs::remove_file(self.path(name));
        }
        Ok(())
    }

    pub(super) fn journal_bytes(&self) -> Result<u64, LoadFailure> {
        Ok(std::fs::metadata(self.path("journal.sqlite"))?.len())
    }
}

const FILES: [(&str, &str); 6] = [
    ("profiles/load.yaml", PROFILE),
    ("rules/rubrics/load.yaml", RUBRIC),
    (
        "rules/load.yaml",
        "rules:
  - id: grade-format
    field: grade
    matches: '^[123]$'
    severity: major
    message: 'the grade is 1, 2 or 3'
  - { id: er-says-something, field: markers.er, one_of: [positive, negative], severity: minor }
  - { id: stage-format, field: stage, matches: '^p?T[0-4]', severity: minor }
",
    ),
    (
        "prompts/load.md",
        "Extract histology, grade, margins, stage and markers as one JSON object.\n\n{{ source }}\n",
    ),
    (
        "prompts/load-feedback.md",
        "Correction {{ iteration }}.\n{% for issue in critical + major + minor %}- {{ issue.path }}: {{ issue.message }}\n{% endfor %}",
    ),
    (
        "schemas/load.schema.json",
        r#"{ "type": "object", "required": ["histology"], "properties": {
  "histology": { "type": "string" }, "grade": { "type": "string" }, "margins": { "type": "string" },
  "stage": { "type": "string" }, "markers": { "type": "object" }, "comment": { "type": "string" } } }"#,
    ),
];

/// The path of a document in its project.
fn document_path(number: usize) -> String {
    format!("documents/{:03}/report-{number:06}.txt", number / 1_000)
}

/// Some 2 KB of a report.
fn document(number: usize) -> String {
    let mut text = format!("SURGICAL PATHOLOGY REPORT\nReport number: R{number:06}\n\nFINAL DIAGNOSIS\n");
    while text.len() < 2_000 {
        text.push_str(
            "Breast, right, lumpectomy: invasive ductal carcinoma of no special type, grade 3, 2.4 cm in its greatest dimension. Margins are negative; the closest is the posterior margin, at 2 mm. Lymphovascular invasion is present. One of fourteen lymph nodes contains a metastasis of 4 mm. ER positive, PR positive, HER2 negative, Ki-67 25 %. pT2 pN1a.\n",
        );
    }
    text
}
