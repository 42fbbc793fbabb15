//! A bed to test plugins in: its own home, its own installation, and a C compiler.

use std::path::PathBuf;

use loopctl::provider::protocol::{Completion, CompletionRequest, DocumentRef, Message, Role};
use loopctl::provider::{CallFailure, PluginPaths, Provider, Providers};
use serde_json::{Value, json};

use crate::neighbour;
pub(super) use crate::neighbour::library_name;
pub(super) use crate::workspace::PLENTY;

/// Folders that vanish with it.
pub(super) struct Bed {
    pub(super) dir: tempfile::TempDir,
}

impl Bed {
    pub(super) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The paths of a loopctl that is installed beside this test, where cargo leaves the shared libraries.
    pub(super) fn paths(&self) -> PluginPaths {
        PluginPaths {
            search: vec![],
            home: Some(self.path("home")),
            exe: Some(std::env::current_exe().unwrap().canonicalize().unwrap()),
        }
    }

    pub(super) fn providers(&self) -> Providers {
        Providers::new(self.paths())
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Compiles `tests/plugins/NAME.c` into a library `loopctl_NAME` in `folder`.
    pub(super) fn compile(&self, name: &str, folder: &str) -> PathBuf {
        neighbour::compile(name, &self.path(folder))
    }

    /// Compiles it and trusts it.
    pub(super) fn trusted(&self, name: &str) -> PathBuf {
        let library = self.compile(name, "elsewhere");
        self.providers().trust(&library).unwrap();
        library
    }

    /// Opens the trusted C plugin.
    pub(super) fn neighbour(&self, name: &str) -> Provider {
        let library = self.trusted(name);
        self.providers().open(library.to_str().unwrap(), &Value::Null).unwrap()
    }

    /// Opens `scripted` from its shared library with this script.
    pub(super) fn scripted(&self, script: &str) -> Provider {
        let file = self.write("answers.yaml", script);
        self.providers().open("scripted", &json!({ "file": file })).unwrap()
    }

    /// Like [`Bed::scripted`], from a copy that no one else has loaded, so that counts of its library are this
    /// provider's alone.
    pub(super) fn scripted_alone(&self, script: &str) -> Provider {
        let installed = self.paths().exe.unwrap().with_file_name(library_name("scripted"));
        let copy = self.path(&library_name("scripted"));
        let mut bytes = std::fs::read(installed).unwrap();
        // Libraries are told apart by their digests, and loaders read nothing past the end.
        bytes.extend(self.dir.path().to_string_lossy().bytes());
        std::fs::write(&copy, bytes).unwrap();
        self.providers().trust(&copy).unwrap();
        let file = self.write("answers.yaml", script);
        self.providers().open(copy.to_str().unwrap(), &json!({ "file": file })).unwrap()
    }
}

/// Waits until a library has dropped an answer.
pub(super) async fn dropped_an_answer(provider: &Provider) {
    let dropped = async {
        while provider.dropped_answers() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PLENTY, dropped).await.unwrap();
}

pub(super) fn request(id: &str) -> CompletionRequest {
    CompletionRequest {
        document: DocumentRef { id: id.into(), document_type: "pathology".into() },
        messages: vec![Message { role: Role::User, content: "what is the grade?".into() }],
        ..CompletionRequest::default()
    }
}

pub(super) async fn ask(provider: &Provider) -> Result<Completion, CallFailure> {
    provider.complete(&request("a"), PLENTY).await
}
