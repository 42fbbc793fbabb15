//! `loopctl plugin new`: what it begins builds, passes its own tests, is loaded, and answers a run.

use crate::loopback::{self, http};
use crate::neighbour::{library_name, one_stage};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A server of the API that the `http` plugins begin with. It answers if the key is right.
fn serve() -> SocketAddr {
    loopback::serve(|request| {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let key = head.lines().any(|line| line.eq_ignore_ascii_case("authorization: Bearer the-key"));
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        let right = head.starts_with("POST /complete ")
            && key
            && asked["model"] == "m1"
            && asked["messages"].to_string().contains("What is in");
        if right {
            let text = json!({"grade": "2 \"é\""}).to_string();
            let answer = json!({"text": text, "usage": {"input_tokens": 5, "output_tokens": 7}});
            http("200 OK", "", &answer.to_string())
        } else {
            http("400 Bad Request", "", r#"{"error": {"message": "that is not the request"}}"#)
        }
    })
}

fn place() -> Workspace {
    one_stage("pattern", "grade", "accept: { overall: 0.9 }\nstop: { max_iterations: 2 }\n")
}

#[track_caller]
fn succeed(command: &mut Command) {
    let out = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (said, complained) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?}\n{said}\n{complained}");
}

/// Trusts the library, holds it against the contract, and has it answer a run.
fn answers(place: &Workspace, kind: &str, library: &Path) {
    let library = library.to_str().unwrap();
    place.run(&["plugin", "trust", library]).exits(0);
    let checked = place.run(&["plugin", "check", library]);
    assert!(checked.out.contains(" 0 failed, 0 skipped\n"), "{}{}", checked.out, checked.err);
    let (provider, setting) = match kind {
        "http" => (format!("{library}:m1"), format!("base_url=http://{}", serve())),
        _ => (library.to_owned(), r#"answer={grade: "2 \"é\""}"#.to_owned()),
    };
    let arguments = [
        "run",
        "--profile",
        "parts",
        "--format",
        "json",
        "--provider",
        &provider,
        "--provider-config",
        &setting,
        "doc.txt",
    ];
    let ran = Ran::of(place.loopctl(&arguments).env("MY_LLM_API_KEY", "the-key")).exits(0);
    assert_eq!(ran.json()["best_extraction"], json!({"grade": "2 \"é\""}));
}

#[test]
fn plugins_in_c_build_and_answer() {
    for kind in ["http", "direct"] {
        let place = place();
        let written = place.run(&["plugin", "new", "my-llm", "--lang", "c", "--kind", kind]).exits(0);
        for part in ["wrote `loopctl-my-llm`", "cd loopctl-my-llm", "make test", "plugin trust ./build/"] {
            assert!(written.out.contains(part), "{part}: {}", written.out);
        }
        let project = place.path("loopctl-my-llm");
        for target in ["test", "all"] {
            let flags = "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror";
            succeed(Command::new("make").current_dir(&project).args([target, flags]));
        }
        answers(&place, kind, &project.join("build").join(library_name("my_llm")));
    }
}

/// The turn in the one target folder, where libraries of one name replace each other.
static TURN: Mutex<()> = Mutex::new(());

/// Tests and builds a project in Rust; the library. All projects share a target folder, because they share what they are built on.
fn built(project: &Path) -> PathBuf {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plugin_new");
    // The versions that are here already.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    std::fs::copy(lock, project.join("Cargo.lock")).unwrap();
    for verb in ["test", "build"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([verb, "--offline", "--quiet", "--config", "profile.dev.debug=false"]);
        succeed(cargo.current_dir(project).env("CARGO_TARGET_DIR", &target).env_remove("CARGO_BUILD_TARGET"));
    }
    let library = project.join(library_name("my_llm"));
    std::fs::copy(target.join("debug").join(library_name("my_llm")), &library).unwrap();
    library
}

#[test]
#[ignore = "long"]
fn plugins_in_rust_build_and_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for kind in ["http", "direct"] {
        let place = place();
        let new = ["plugin", "new", "my-llm", "--lang", "rust", "--kind", kind, "--dir", "deep/my project"];
        let written = place.run(&[&new[..], &["--sdk", env!("CARGO_MANIFEST_DIR")]].concat()).exits(0);
        for part in ["cd 'deep/my project'", "cargo test", "plugin trust ./target/release/"] {
            assert!(written.out.contains(part), "{part}: {}", written.out);
        }
        let project = place.path("deep/my project");
        let manifest = std::fs::read_to_string(project.join("Cargo.toml")).unwrap();
        let sdk = root.join("plugins/sdk").canonicalize().unwrap();
        assert!(
            manifest.contains(&format!("loopctl-plugin-sdk = {{ path = {:?} }}", sdk.display().to_string())),
            "{manifest}"
        );
        answers(&place, kind, &built(&project));
    }
}

#[test]
fn what_would_not_work_is_refused() {
    let place = Workspace::new();
    place.write("here/file.txt", "mine");
    let new = |more: &[&str]| {
        let arguments: Vec<&str> = ["plugin", "new"].iter().chain(more).copied().collect();
        place.run(&arguments).exits(2)
    };
    new(&["a", "--lang", "c", "--dir", "here"]).says(&["`here` is there already", "--dir"]);
    assert_eq!(place.names("here"), ["file.txt"]);
    for name in ["My", "../a", "1a", "loopctl-a"] {
        new(&[name, "--lang", "c"]).says(&["help:"]);
    }
    new(&["plugin-sdk", "--lang", "rust"]).says(&["what plugins are built on", "choose another name"]);
    new(&["a", "--lang", "c", "--sdk", "."]).says(&["`--lang rust`"]);
    new(&["a", "--lang", "rust", "--sdk", "here"]).says(&["no SDK for plugins in `here`"]);
    assert_eq!(place.names(""), ["here"]);
}

/// A program that lies in a checkout takes the SDK from there, regardless of what it was built from.
#[test]
fn in_a_checkout_the_project_uses_its_sdk() {
    let place = Workspace::new();
    let installed = place.path("checkout/target/debug/loopctl");
    let manifest = "[package]\nname = \"loopctl-plugin-sdk\"\n";
    let manifest = place.write("checkout/plugins/sdk/Cargo.toml", manifest).canonicalize().unwrap();
    std::fs::create_dir_all(installed.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_loopctl"), &installed).unwrap();
    let new = ["plugin", "new", "my-llm", "--lang", "rust", "--kind", "direct"];
    succeed(Command::new(&installed).current_dir(place.path("")).args(new));
    let sdk = format!("path = {:?}", manifest.parent().unwrap().display().to_string());
    assert!(place.read("loopctl-my-llm/Cargo.toml").contains(&sdk));
}

/// A program that wasn't built in a checkout writes the SDK, too.
#[test]
#[ignore = "long"]
fn without_a_checkout_the_project_holds_the_sdk() {
    let place = place();
    let installed = place.path("bin/loopctl");
    std::fs::create_dir_all(installed.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_loopctl"), &installed).unwrap();
    let new = |more: &[&str]| {
        let arguments = ["plugin", "new", "my-llm", "--lang", "rust", "--kind", "direct"].iter().chain(more);
        succeed(Command::new(&installed).current_dir(place.path("")).args(arguments));
    };
    new(&[]);
    let library = built(&place.path("loopctl-my-llm"));
    answers(&place, "direct", &library);

    new(&["--dir", "b", "--sdk", env!("CARGO_MANIFEST_DIR")]);
    assert!(place.read("b/Cargo.toml").contains("plugins/sdk\" }"), "{}", place.read("b/Cargo.toml"));
    assert!(!place.path("b/loopctl").exists());
}
