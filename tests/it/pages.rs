//! The pages of `docs/` and README do what they show: each is played in a folder of its own.
//!
//! A page is written as follows, so that it can be played:
//!
//! - ```` ```yaml file=rules/x.yaml ````: the block is written to that file (any language), in the folder in which the page is at that point.
//! - ```` ```diff file=rules/x.yaml ````: lines with ` ` and `-` must be in
//!   the file, once; they become the lines with ` ` and `+`.
//! - ```` ```console ````: each line `$ command` (a `\` at its end continues it) is run by `sh`, with the `loopctl` under test first on PATH; `cd` is
//!   remembered. The lines up to the next `$` are what it must print, standard output and standard error together: a line `...` or `…`
//!   stands for any lines, `[..]` for anything within a line, and how long something took (`31 ms`, `1.2 s`) is never compared. A last line `? 3` is its exit
//!   status, if that isn't 0.
//! - `<!-- needs: examples/reports/liver-resection.txt examples/aas -->` copies files and folders of the repository to the page first.
//! - `<!-- not run: why -->` on the line before a `console` fence leaves that block out.
//! - `cargo run --` in a command is the `loopctl` under test.
//!
//! Other blocks are ignored. `LOOPCTL_PAGE=tutorial cargo test --test it pages::` plays only the pages with that in
//! their path.

mod links;
mod play;
mod script;

use links::broken_links;
use loopctl::diag::{Code, Problems, SourceFile};
use play::play;
use script::Script;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages below a folder of the repository, named from its root.
fn pages_below(folder: &str) -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    pages.sort();
    pages
}

fn text_of(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap()
}

#[cfg(unix)]
#[test]
fn pages_do_what_they_show() {
    let only = std::env::var("LOOPCTL_PAGE").unwrap_or_default();
    let mut pages = pages_below("docs");
    pages.push("README.md".to_owned());
    pages.retain(|page| page.contains(&only));
    assert!(!pages.is_empty(), "no page has `{only}` in its path");
    let failures: Vec<String> = std::thread::scope(|scope| {
        let playing: Vec<_> = pages
            .iter()
            .map(|page| {
                scope.spawn(move || {
                    let text = text_of(page);
                    Script::read(&text)
                        .and_then(|script| play(&script))
                        .map_err(|failure| format!("{page}:{failure}"))
                })
            })
            .collect();
        playing.into_iter().filter_map(|page| page.join().unwrap().err()).collect()
    });
    assert!(failures.is_empty(), "\n\n{}\n", failures.join("\n\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut pages = pages_below("docs");
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"].map(str::to_owned));
    let broken: Vec<String> =
        pages.iter().flat_map(|page| broken_links(page, &text_of(page), root())).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// YAML on a page that nothing can read is copied by people who then don't know what is wrong with their own.
#[test]
fn yaml_on_pages_can_be_read() {
    let mut pages = pages_below("docs");
    // Pages of codes show mistakes, which `code_pages` checks.
    pages.retain(|page| !page.starts_with("docs/codes"));
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"].map(str::to_owned));
    let mut read = 0;
    let mut faults = Vec::new();
    for page in &pages {
        for (line, yaml) in yaml_in(&text_of(page)) {
            let file = SourceFile::new(format!("{page}:{line}"), &*yaml);
            let mut problems = Problems::new();
            read += usize::from(loopctl::value::yaml::parse(&file, &mut problems).is_some());
            // Two ways to write a key may be shown one below the other.
            let unread = problems.iter().filter(|problem| problem.code != Code::DuplicateKey);
            faults.extend(unread.map(|problem| format!("{page}:{line}: {}", problem.message)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(read > 100, "only {read} were found");
}

/// The YAML that a page shows, each with its line: blocks, and mappings and lists with placeholders within the text.
fn yaml_in(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut block: Option<(usize, String, bool)> = None;
    for (number, line) in (1..).zip(page.lines()) {
        let text = line.trim_start();
        block = match block.take() {
            Some((start, yaml, is_yaml)) if text.starts_with("```") => {
                found.extend(is_yaml.then_some((start, yaml)));
                None
            }
            Some((start, yaml, is_yaml)) => Some((start, yaml + line + "\n", is_yaml)),
            None if text.starts_with("```") => {
                let is_yaml = text.trim_start_matches('`').starts_with("yaml");
                Some((number + 1, String::new(), is_yaml))
            }
            None => {
                let spans = line.split('`').skip(1).step_by(2);
                let flow = spans.filter(|span| span.starts_with(['{', '[']) && !span.starts_with("{{"));
                found.extend(flow.filter(|span| span.contains("{{")).map(|span| (number, span.to_owned())));
                None
            }
        };
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn played(page: &str) -> Result<(), String> {
        Script::read(page).and_then(|script| play(&script))
    }

    #[track_caller]
    fn fails(page: &str, parts: &[&str]) {
        let failure = played(page).unwrap_err();
        for part in parts {
            assert!(failure.contains(part), "`{part}` is not said:\n{failure}");
        }
    }

    #[test]
    fn yaml_is_found_on_pages() {
        let page = "a `{ b: '{{ c }}' }` `{{ d }}` `e: {{ f }}`\n\n```yaml file=x\n- 1\n```\n```json\n{\n```\n  ```yaml\n  a: b\n  ```\n";
        let found = yaml_in(page);
        let expected = [(1, "{ b: '{{ c }}' }"), (4, "- 1\n"), (10, "  a: b\n")];
        assert_eq!(found, expected.map(|(line, yaml)| (line, yaml.to_owned())));
    }

    #[test]
    fn what_a_page_shows_must_be_what_happens() {
        let page = "# A page\n\n```text file=notes/a.txt\none\ntwo\n```\n\nThen:\n\n```console\n$ cat notes/a.txt\none\ntwo\n$ ls \\\n    notes\na.txt\n```\n";
        played(page).unwrap();
        fails(
            &page.replace("one\ntwo\n$ ls", "one\nthree\n$ ls"),
            &["11: `cat notes/a.txt` does not print", "one\nthree", "one\ntwo"],
        );
        fails(&page.replace("notes/a.txt\none\ntwo\n$", "notes/a.txt\n$"), &["--- it prints\none\ntwo"]);
        fails(&page.replace("\na.txt\n```", "\na.txt\nb.txt\n```"), &["14: `ls"]);
    }

    #[test]
    fn what_varies_may_be_left_out() {
        let page = |shown: &str| format!("```console\n$ printf 'a 1\\nb 2\\nc 31 ms\\n'\n{shown}\n```\n");
        for shown in [
            "a [..]\nb 2\nc 7 ms",
            "a 1\nb 2\nc 1.2 s",
            "...",
            "a 1\n…",
            "...\nc [..] ms",
            "...\nb 2\n...",
            "[..]1\n...\n...",
        ] {
            played(&page(shown)).unwrap_or_else(|failure| panic!("{shown}: {failure}"));
        }
        for shown in [
            "a [..]",
            "...\nb 2",
            "b 2\n...",
            "a[..]2\n...",
            "...\nd\n...",
            "a 1\nb 2\nc 31 s",
            "a 1\nb 2\nc 31ms",
        ] {
            assert!(played(&page(shown)).is_err(), "{shown}");
        }
    }

    #[test]
    fn the_exit_status_must_be_the_one_stated() {
        played("```console\n$ echo no >&2; exit 3\nno\n? 3\n$ true\n```\n").unwrap();
        fails("```console\n$ exit 3\n```\n", &["2: `exit 3` ends with status 3, not 0"]);
        fails("```console\n$ true\n? 3\n```\n", &["ends with status 0, not 3"]);
    }

    #[test]
    fn a_page_changes_folders_and_files() {
        let page = "```console\n$ mkdir lab && cd lab\n```\n~~~yaml file=a.yaml\nx: 1\ny: 2\nz: 3\n~~~\n  ```diff file=a.yaml\n   x: 1\n  -y: 2\n  +y: 4\n  +yy: 5\n  ```\n```console\n$ cat a.yaml\nx: 1\ny: 4\nyy: 5\nz: 3\n$ cd .. && ls\nlab\n```\n";
        played(page).unwrap();
        fails(&page.replace("-y: 2", "-y: 3"), &["9: `a.yaml` does not have these lines once"]);
        fails("```text file=../a.txt\na\n```\n", &["1: `../a.txt` leads out of the page's folder"]);
    }

    #[test]
    fn a_page_has_only_what_it_asks_for_and_a_home_of_its_own() {
        played("<!-- needs: examples/aas LICENSE-MIT -->\n```console\n$ ls . examples/aas\n...\nLICENSE-MIT\n...\npump.json\n$ loopctl profile list\n...\nbalanced[..]\n...\n```\n").unwrap();
        played("```console\n$ ls\n$ echo \"$LOOPCTL_HOME$LOOPCTL_PROFILE$OPENAI_API_KEY\"\n\n$ ls -A \"$HOME\"\n```\n").unwrap();
        fails("<!-- needs: examples/none -->\n", &["1: `examples/none` is not in the repository"]);
    }

    #[test]
    fn a_slip_in_a_page_is_named() {
        fails("```yaml fiel=a.yaml\na: 1\n```\n", &["1: the mark `fiel=a.yaml` is not known"]);
        fails("```console\nloopctl check\n```\n", &["2: output without a command"]);
        fails("a\n```console\n$ true\n", &["2: this block has no end"]);
        fails("```console\n```\n", &["1: a console block without a command"]);
        fails("<!-- not run: -->\n```console\n$ false\n```\n", &["1: say why the block is not run"]);
        played("<!-- not run: it takes a minute -->\n```console\n$ false\n```\n```sh\n$ false\n```\n")
            .unwrap();
    }

    #[test]
    fn links_are_looked_up_as_a_reader_would() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("docs")).unwrap();
        std::fs::write(
            root.path().join("docs/b.md"),
            "# B\n\n## What `x` is, and why\n\n## Twice\n## Twice\n",
        )
        .unwrap();
        let broken = |text: &str| broken_links("docs/a.md", text, root.path());
        for fine in [
            "[b](b.md) [top](#a-title) ![i](./b.md)\n# A title",
            "[b](b.md#what-x-is-and-why) [c](b.md#twice-1)",
            "`[not](a-link.md)` [web](https://example.org/x.md#y) [mail](mailto:a@example.org)",
            "```\n[not](a-link.md)\n```\n",
            "[b]: b.md\n",
        ] {
            assert_eq!(broken(fine), Vec::<String>::new(), "{fine}");
        }
        for wrong in ["[b](c.md)", "[b](b.md#why)", "[b](#a-title)", "a\n[b]: c.md\n", "[b](../d.md)"] {
            let said = broken(wrong);
            assert_eq!(said.len(), 1, "{wrong}");
            assert!(said[0].starts_with("docs/a.md:"), "{said:?}");
        }
    }
}
