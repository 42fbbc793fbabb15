//! Does what a page shows, and compares.

use super::root;
use super::script::{Action, Script, Step};
use crate::workspace::{PLENTY, Workspace};
use regex::Regex;
use std::path::{Component, Path, PathBuf};

/// Plays a page in a folder of its own.
///
/// # Errors
/// The first thing that is not as the page says, after the line of the page: `7: …`.
pub(super) fn play(script: &Script) -> Result<(), String> {
    let place = Workspace::new();
    for (line, name) in &script.needs {
        let from = root().join(name);
        if !from.exists() {
            return Err(format!("{line}: `{name}` is not in the repository"));
        }
        copy(&from, &place.path(name));
    }
    let mut folder = place.path("").canonicalize().unwrap();
    let page = folder.clone();
    for Step { line, action } in &script.steps {
        let done = match action {
            Action::Write { path, text } => inside(&folder, &page, path).map(|path| write(&path, text)),
            Action::Change { path, before, after } => inside(&folder, &page, path).and_then(|file| {
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                if text.matches(before.as_str()).count() != 1 {
                    return Err(format!(
                        "`{path}` does not have these lines once:\n{before}--- it has\n{text}"
                    ));
                }
                write(&file, &text.replace(before, after));
                Ok(())
            }),
            Action::Run { command, shown, status } => run(&place, &mut folder, command, shown, *status),
        };
        done.map_err(|why| format!("{line}: {why}"))?;
    }
    Ok(())
}

/// The path of a file that a page names.
fn inside(folder: &Path, page: &Path, name: &str) -> Result<PathBuf, String> {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if plain && folder.starts_with(page) {
        Ok(folder.join(name))
    } else {
        Err(format!("`{name}` leads out of the page's folder"))
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in std::fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
}

fn run(
    place: &Workspace,
    folder: &mut PathBuf,
    command: &str,
    shown: &[String],
    status: i32,
) -> Result<(), String> {
    let left = place.home().join("folder");
    // The folder is reported however the command ends, so that `cd` is remembered.
    let script = format!(
        "exec 2>&1\ntrap 'pwd -P > \"$PAGE_FOLDER\"' EXIT\n{}\n",
        command.replace("cargo run -- ", "loopctl ")
    );
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(script).current_dir(&*folder).env("PAGE_FOLDER", &left);
    place.isolate(&mut shell);
    // A page shows what people see on a terminal.
    shell.env("LOOPCTL_FORMAT", "text");
    let output = assert_cmd::Command::from_std(shell).timeout(PLENTY).output().map_err(|e| e.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let ended = output.status.code();
    if let Ok(left) = std::fs::read_to_string(left) {
        *folder = PathBuf::from(left.trim_end());
    }
    if ended != Some(status) {
        let ended = ended.map_or_else(|| "none".to_owned(), |code| code.to_string());
        return Err(format!("`{command}` ends with status {ended}, not {status}\n--- it prints\n{printed}"));
    }
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    if !fits(shown, &lines) {
        let shown = shown.join("\n");
        return Err(format!(
            "`{command}` does not print what the page shows\n{shown}\n--- it prints\n{printed}"
        ));
    }
    Ok(())
}

/// Returns whether the lines are those that a page shows.
fn fits(shown: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return lines.is_empty() };
    if matches!(first.trim(), "..." | "…") {
        return (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]));
    }
    lines.split_first().is_some_and(|(line, lines)| line_fits(first, line) && fits(rest, lines))
}

fn line_fits(shown: &str, line: &str) -> bool {
    let times = Regex::new(r"\b(?:\d+ ms|\d+\.\d s)\b").unwrap();
    let [shown, line] = [shown, line].map(|text| times.replace_all(text.trim_end(), "0 ms").into_owned());
    let parts: Vec<String> = shown.split("[..]").map(regex::escape).collect();
    Regex::new(&format!("^{}$", parts.join(".*"))).unwrap().is_match(&line)
}
