//! Completions and manual pages, as shells and `man` take them.

use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::process::Command;

/// The completions that bash offers for the last of `words`.
fn offered(place: &Workspace, words: &[&str]) -> BTreeSet<String> {
    place.write("completions.bash", place.run(&["completions", "bash"]).exits(0).out);
    let line = words.join(" ");
    let script = format!(
        "source completions.bash
COMP_WORDS=({})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE='{line}'
COMP_POINT=${{#COMP_LINE}}
_loopctl loopctl \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
    );
    let ran = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn set<const N: usize>(words: [&str; N]) -> BTreeSet<String> {
    words.map(str::to_owned).into()
}

#[test]
fn bash_completes_verbs_flags_and_profiles() {
    if Command::new("bash").arg("--version").output().is_err() {
        eprintln!("there is no bash here, so its completions were not tried");
        return;
    }
    let place = Workspace::new();
    assert_eq!(offered(&place, &["loopctl", "pro"]), set(["profile", "prove"]));
    assert_eq!(offered(&place, &["loopctl", "run", "--wat"]), set(["--watch"]));
    assert_eq!(offered(&place, &["loopctl", "run", "--format", "j"]), set(["json", "jsonl"]));
    assert_eq!(offered(&place, &["loopctl", "run", "--profile", "cli"]), set(["clinical"]));
    // A profile of one's own is known to completions that are made where it is.
    place.write("profiles/clinic-b.yaml", "extends: clinical\n");
    assert_eq!(offered(&place, &["loopctl", "score", "-p", "clin"]), set(["clinic-b", "clinical"]));
}

#[test]
fn every_shell_has_completions() {
    let place = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completions", shell]).exits(0).out;
        // The last two complete no values of flags.
        let words = ["simulate", "watch", "clinical"];
        let known = if ["elvish", "powershell"].contains(&shell) { 2 } else { 3 };
        for word in &words[..known] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    place.run(&["completions", "tcsh"]).exits(2);
}

/// The verbs that a page of help names, with those below them.
fn verbs(place: &Workspace, above: &[String]) -> Vec<Vec<String>> {
    let mut arguments: Vec<&str> = above.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = place.run(&arguments).exits(0).out;
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let named = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let name =
            line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?.split_whitespace().next()?;
        (name != "help").then(|| [above, &[name.to_owned()]].concat())
    });
    named.flat_map(|verb| [vec![verb.clone()], verbs(place, &verb)].concat()).collect()
}

#[test]
fn every_verb_has_a_page_without_faults() {
    let place = Workspace::new();
    place.run(&["man", "pages/man1"]).exits(0);
    let expected: BTreeSet<String> = verbs(&place, &[])
        .iter()
        .map(|verb| format!("loopctl-{}.1", verb.join("-")))
        // The first page of help names these in a sentence only.
        .chain(
            ["loopctl", "loopctl-schema", "loopctl-completions", "loopctl-man"]
                .map(|page| format!("{page}.1")),
        )
        .collect();
    assert!(expected.contains("loopctl-plugin-check.1") && expected.len() > 15, "{expected:?}");
    assert_eq!(place.names("pages/man1"), Vec::from_iter(expected));
    assert_eq!(place.run(&["man"]).exits(0).out, place.read("pages/man1/loopctl.1"));
    for page in place.names("pages/man1") {
        let text = place.read(&format!("pages/man1/{page}"));
        for part in [".TH loopctl", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"] {
            assert!(text.contains(part), "{page} lacks {part}");
        }
        // As strictly as `man --warnings` asks groff.
        let linted = Command::new("groff")
            .args(["-z", "-man", "-Kutf8", "-Tutf8", "-ww"])
            .arg(place.path(format!("pages/man1/{page}")))
            .output();
        match linted {
            Ok(linted) => {
                let said = String::from_utf8_lossy(&linted.stderr);
                assert!(linted.status.success() && said.is_empty(), "{page}: {said}");
            }
            Err(_) => eprintln!("there is no groff here, so `{page}` was only looked through"),
        }
    }
}

#[test]
fn where_pages_cannot_be_written_it_is_said() {
    let place = Workspace::new();
    place.write("file", "");
    place.run(&["man", "file/man1"]).exits(1).says(&["can't write `file/man1`", "name a folder"]);
}
