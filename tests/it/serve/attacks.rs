//! Attempts by attackers: under other names, from other sites' pages, with other tokens, by uploads and paths, and by
//! requests that are none.

use super::running::{Answer, Server};
use crate::workspace::Workspace;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

fn server(place: &Workspace, arguments: &[&str]) -> Server {
    let usual = ["--profile", "clinical", "--provider", "pattern"];
    Server::start(place, &[&usual[..], arguments].concat())
}

/// Sends bytes as they are, and reads until the connection is closed.
fn raw(server: &Server, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let _ = stream.write_all(bytes);
    let mut whole = Vec::new();
    let _ = stream.read_to_end(&mut whole);
    Answer::parse(&whole)
}

fn token(place: &Workspace, name: &str, role: &str, more: &[&str]) -> String {
    let arguments = ["serve", "token", "add", name, "--role", role, "--data", "data"];
    place.run(&[&arguments[..], more].concat()).out.trim().to_owned()
}

/// Signs in as the page does, and returns what the browser is to keep.
fn sign_in(server: &Server, with: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = server.request("POST", "/login").header("Sec-Fetch-Site", "same-origin");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.json(&json!({ "token": with })).send()
}

/// The cookie as a browser sends it.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn names_that_are_none_of_the_service_are_refused() {
    let place = Workspace::new();
    let server = server(&place, &["--host", "loopctl.example.org"]);
    let port = server.address.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
        format!("evil@127.0.0.1:{port}"),
        "127.0.0.1".to_owned(),
        format!("loopctl.example.org:{port}"),
        "loopctl.example.org.".to_owned(),
        "xn--loopctl-9za.example.org".to_owned(),
        String::new(),
    ] {
        for path in ["/metrics", "/login", "/healthz", "/assets/login.js"] {
            let answer = server.request("GET", path).admin().header("Host", &host).send();
            assert!(matches!(answer.status, 400 | 403), "{host:?} {path}: {}", answer.head);
        }
    }
    server.request("GET", "/metrics").admin().header("Host", "Loopctl.Example.Org:443").send().is(200);
}

#[test]
fn a_request_names_its_host_once_and_in_one_way() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let (own, token) = (server.address.to_string(), server.token.clone());
    let head = |line: &str, headers: &str| {
        format!("{line} HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{headers}\r\n")
    };
    let status = |line: &str, headers: &str| raw(&server, head(line, headers).as_bytes()).status;
    assert_eq!(status("GET /metrics", &format!("Host: {own}\r\n")), 200);
    assert_eq!(status(&format!("GET http://{own}/metrics"), &format!("Host: {own}\r\n")), 200);
    // Two hosts, in either order; a target and a header that differ, both ways; none; one that is folded; two lengths; a tab in a name.
    for (line, headers) in [
        ("GET /metrics".to_owned(), format!("Host: {own}\r\nHost: evil.example\r\n")),
        ("GET /metrics".to_owned(), format!("Host: evil.example\r\nHost: {own}\r\n")),
        ("GET /metrics".to_owned(), format!("Host: {own}\r\nHost: {own}\r\n")),
        ("GET http://evil.example/metrics".to_owned(), format!("Host: {own}\r\n")),
        (format!("GET http://{own}/metrics"), "Host: evil.example\r\n".to_owned()),
        (format!("GET http://evil@{own}/metrics"), format!("Host: {own}\r\n")),
        ("GET /metrics".to_owned(), String::new()),
        ("GET /metrics".to_owned(), format!("Host:\r\n {own}\r\n")),
        ("GET /metrics".to_owned(), format!("Host: {own}\r\nX-Folded: a\r\n b\r\n")),
        ("POST /api/jobs".to_owned(), format!("Host: {own}\r\nContent-Length: 0\r\nContent-Length: 5\r\n")),
        ("GET /metrics".to_owned(), format!("Host : {own}\r\n")),
        ("GET /metrics".to_owned(), format!("Host: {own}\r\nAuthorization: Bearer x\r\n")),
        ("GET /metrics".to_owned(), format!("Host: {own}\r\nOrigin: null\r\nOrigin: http://{own}\r\n")),
        ("CONNECT evil.example:443".to_owned(), format!("Host: {own}\r\n")),
        ("GET * ".to_owned(), format!("Host: {own}\r\n")),
    ] {
        let found = status(&line, &headers);
        assert!(matches!(found, 400 | 403), "{line} {headers:?}: {found}");
    }
    // A second request that hides in the body of the first is none.
    let hidden = format!("GET /metrics HTTP/1.1\r\nHost: {own}\r\nAuthorization: Bearer {token}\r\n\r\n");
    let both = format!(
        "POST /login HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        hidden.len()
    );
    let answer = raw(&server, both.as_bytes());
    assert!(!answer.text().contains("loopctl_build_info"), "{}", answer.text());
}

#[test]
fn pages_of_other_sites_change_nothing_and_learn_nothing() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let own = format!("http://{}", server.address);
    let session = cookie(&sign_in(&server, &server.token, &[]).is(204));
    let body = json!({"text": "A report."});
    let change = |headers: &[(&str, &str)]| {
        let mut request = server.request("POST", "/api/jobs").header("Cookie", &session);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.json(&body).send().status
    };
    let elsewhere = format!("http://localhost:{}", server.address.port() ^ 1);
    for headers in [
        &[][..],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Origin", &elsewhere)],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site"), ("Origin", &elsewhere)],
        &[("Sec-Fetch-Site", "none")],
        &[("Sec-Fetch-Site", "same-origin"), ("Origin", "http://evil.example")],
        &[("Sec-Fetch-Site", "cross-site"), ("Origin", &own)],
        &[("Sec-Fetch-Site", "Same-Origin")],
        &[("Referer", &own)],
    ] {
        assert_eq!(change(headers), 403, "{headers:?}");
    }
    assert_eq!(change(&[("Sec-Fetch-Site", "same-origin"), ("Origin", &own)]), 202);
    assert_eq!(change(&[("Origin", &own)]), 202, "of a browser that says no more");

    let look = |site: &str, mode: &str| {
        let request = server.request("GET", "/api/jobs").header("Cookie", &session);
        request.header("Sec-Fetch-Site", site).header("Sec-Fetch-Mode", mode).send()
    };
    for (site, mode) in [("cross-site", "no-cors"), ("same-site", "cors"), ("cross-site", "websocket")] {
        look(site, mode).is(403);
    }
    look("same-origin", "cors").is(200);
    look("cross-site", "navigate").is(200);
    let asked = server.request("OPTIONS", "/api/jobs").header("Origin", "http://evil.example");
    let asked = asked.header("Access-Control-Request-Method", "POST").send().is(403);
    assert!(asked.header("access-control-allow-origin").is_none(), "{}", asked.head);
    // Signing a user in as someone else.
    for site in ["cross-site", "same-site"] {
        let body = json!({ "token": server.token });
        server.request("POST", "/login").header("Sec-Fetch-Site", site).json(&body).send().is(403);
    }
}

#[test]
fn tokens_that_hold_no_longer_or_never_did_are_refused() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let revoked = token(&place, "ada", "admin", &[]);
    let expired = token(&place, "bob", "admin", &["--lasts", "1s"]);
    let good = token(&place, "eve", "submit", &[]);
    place.run(&["serve", "token", "revoke", "ada", "--data", "data"]);
    let ask = |value: &str| server.request("GET", "/metrics").header("Authorization", value).send().status;
    assert_eq!(ask(&format!("Bearer {good}")), 200);
    let session = sign_in(&server, &good, &[]).is(204);
    let session = cookie(&session).split_once('=').unwrap().1.to_owned();
    for wrong in [
        "Bearer ".to_owned(),
        "Bearer loopctl_".to_owned(),
        format!("Bearer loopctl_{}", "A".repeat(43)),
        format!("Bearer {revoked}"),
        format!("Bearer {good}x"),
        format!("Bearer {}", &good[..good.len() - 1]),
        format!("Bearer  {good}"),
        format!("bearer {good}"),
        format!("Basic {good}"),
        format!("Bearer loopctl_{}", "A".repeat(20_000)),
        format!("Bearer {session}"),
        good.clone(),
        "Bearer loopctl_\u{e9}".to_owned(),
        format!("Bearer {}", good.to_uppercase()),
    ] {
        assert_eq!(ask(&wrong), 401, "{wrong}");
    }
    server.request("GET", &format!("/metrics?token={good}")).send().is(401);
    server.request("GET", &format!("/metrics?access_token={good}")).send().is(401);
    // A session that is posted as a token would never end.
    sign_in(&server, &session, &[]).is(401);
    sign_in(&server, &revoked, &[]).is(401);
    sign_in(&server, &"A".repeat(100_000), &[]).is(413);
    while ask(&format!("Bearer {expired}")) == 200 {
        std::thread::yield_now();
    }
    assert_eq!(ask(&format!("Bearer {expired}")), 401);
    // Sessions end with the tokens of their name.
    place.run(&["serve", "token", "revoke", "eve", "--data", "data"]);
    let dead = format!("loopctl_session={session}");
    let of_program = server.request("GET", "/metrics").header("Cookie", &dead).send().is(401);
    assert!(of_program.text().contains("a token is needed"), "{}", of_program.text());
    // The person at an open page learns what to do there, not what a program would send.
    let from_page = server.request("GET", "/metrics").header("Cookie", &dead);
    let of_page = from_page.header("Sec-Fetch-Site", "same-origin").send().is(401);
    assert!(of_page.text().contains("you are signed out"), "{}", of_page.text());
}

#[test]
fn a_role_gets_what_is_its_own() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let (first, second) = (token(&place, "ada", "submit", &[]), token(&place, "bob", "submit", &[]));
    let job = server.request("POST", "/api/jobs").token(&first).json(&json!({"text": "A report."})).send();
    let id = job.is(202).json()["id"].as_str().unwrap().to_owned();
    for path in ["", "/result", "/events", "/explanation"] {
        let path = format!("/api/jobs/{id}{path}");
        // What is another's can't be told from what is not there.
        server.request("GET", &path).token(&second).send().is(404);
    }
    server.request("POST", &format!("/api/jobs/{id}/cancel")).token(&second).send().is(404);
    server.request("POST", &format!("/api/jobs/{id}/retry")).token(&second).send().is(404);
    server.request("GET", "/runs").token(&second).send().is(403);
    let listed = server.request("GET", "/api/jobs").token(&second).send().is(200).json();
    assert_eq!(listed["jobs"], json!([]));
}

#[test]
fn links_of_earlier_starts_hold_no_longer_and_sessions_do() {
    let place = Workspace::new();
    let first = server(&place, &[]);
    let (link, session) = (first.token.clone(), cookie(&sign_in(&first, &first.token, &[]).is(204)));
    first.kill();
    let second = server(&place, &[]);
    second.request("GET", "/metrics").token(&link).send().is(401);
    sign_in(&second, &link, &[]).is(401);
    second.request("GET", "/metrics").header("Cookie", &session).send().is(200);
}

/// Everything that is printed ends up in the operator's logs.
#[test]
fn without_a_link_nothing_that_lets_in_is_printed() {
    let place = Workspace::new();
    let mut command = place.process();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--no-link"]);
    let mut child =
        command.stderr(Stdio::piped()).stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said: Vec<String> = Vec::new();
    for line in lines {
        said.push(line.unwrap());
        if said.last().unwrap().starts_with("listening on 127.0.0.1:") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.iter().all(|line| !line.contains("loopctl_") && !line.contains("token")), "{said:?}");
    assert!(said.last().unwrap().starts_with("listening on"), "{said:?}");
}

#[test]
fn a_session_is_a_cookie_that_nobody_else_can_set_or_read() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let plain = sign_in(&server, &server.token, &[]).is(204);
    let kept = plain.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        assert!(kept.contains(part), "{kept}");
    }
    assert!(!kept.contains("Domain"), "{kept}");
    let secure = sign_in(&server, &server.token, &[("X-Forwarded-Proto", "https")]).is(204);
    let kept = secure.header("set-cookie").unwrap();
    assert!(kept.starts_with("__Host-loopctl_session=loopctl_") && kept.ends_with("; Secure"), "{kept}");
    // Another service under the same domain sets what it likes, but not that one.
    let ask = |cookies: &str, is_tls: bool| {
        let request = server.request("GET", "/metrics").header("Cookie", cookies);
        let request = if is_tls { request.header("X-Forwarded-Proto", "https") } else { request };
        request.send().status
    };
    let (plain, secure) = (cookie(&plain), cookie(&secure));
    assert_eq!((ask(&plain, false), ask(&secure, true)), (200, 200));
    assert_eq!((ask(&plain, true), ask(&secure, false)), (401, 401));
    assert_eq!(ask(&format!("loopctl_session=loopctl_x; {plain}"), false), 401);
    // Each sign-in is another session, regardless of the browser's; a user who signs out has none.
    let again = cookie(&sign_in(&server, &server.token, &[("Cookie", &plain)]).is(204));
    assert_ne!(again, plain);
    let out =
        server.request("POST", "/logout").header("Cookie", &plain).header("Sec-Fetch-Site", "same-origin");
    assert!(out.send().is(303).header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!((ask(&plain, false), ask(&again, false)), (401, 200));
}

#[test]
fn whoever_hammers_at_the_door_is_not_heard_and_locks_nobody_out() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let guess = || server.request("GET", "/metrics").token("loopctl_guess").send();
    let answers: Vec<Answer> = (0..200).map(|_| guess()).collect();
    assert_eq!(answers[0].status, 401);
    let late = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(late.header("retry-after"), Some("1"));
    server.get("/metrics").is(200);
}

/// All answers to requests without a token: each could be an entry of the access log.
#[test]
fn whoever_has_no_token_fills_no_journal() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let own = server.address.to_string();
    let doubled = format!("GET /metrics HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\nConnection: close\r\n\r\n");
    let same_site =
        |method: &str, path: &str| server.request(method, path).header("Sec-Fetch-Site", "same-origin");
    for at in 0..100 {
        raw(&server, doubled.as_bytes());
        same_site("POST", "/assets/service.css").send();
        same_site("POST", "/login").body("application/json", b"{").send();
        same_site("POST", "/login").body("text/plain", b"x").send();
        same_site("DELETE", &format!("/login?{at}")).send();
        same_site("PUT", "/healthz").send();
        same_site("POST", &format!("/nothing/{at}")).send();
        server.request("POST", "/api/jobs").token("loopctl_guess").json(&json!({"text": "x"})).send();
    }
    assert_eq!(same_site("POST", "/login").body("application/json", b"{").send().status, 429);
    // Tokens that hold come in, and so do probes.
    server.get("/metrics").is(200);
    server.request("GET", "/healthz").send().is(200);
    sign_in(&server, &server.token, &[]).is(204);
    drop(server);
    let journal = rusqlite::Connection::open(place.path("data/journal.sqlite")).unwrap();
    let count = "SELECT count(*) FROM access_log WHERE name = ''";
    let kept: u32 = journal.query_row(count, [], |row| row.get(0)).unwrap();
    // 60 at once, and one a second for as long as this takes.
    assert!((1..400).contains(&kept), "{kept}");
}

/// A link made by someone else does not replace the session of a user who is signed in already.
#[test]
fn an_open_session_is_not_replaced_unasked() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let page = server.request("GET", "/login").send().is(200).text();
    assert!(!page.contains("id=\"open\""), "{page}");
    let ada = token(&place, "ada", "review", &[]);
    let session = cookie(&sign_in(&server, &ada, &[]).is(204));
    let page = server.request("GET", "/login").header("Cookie", &session).send().is(200).text();
    assert!(page.contains("id=\"open\"") && page.contains("signed in as <strong>ada</strong>"), "{page}");
    let ended = server.request("POST", "/logout").header("Cookie", &session);
    ended.header("Sec-Fetch-Site", "same-origin").send().is(303);
    let page = server.request("GET", "/login").header("Cookie", &session).send().is(200).text();
    assert!(!page.contains("id=\"open\""), "{page}");
    let script = server.request("GET", "/assets/login.js").send().is(200).text();
    assert!(script.contains("given && document.querySelector(\"#open\")"), "{script}");
}

#[test]
fn uploads_stay_in_their_folder_and_are_never_pages() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let page = "<html><script>document.title='owned'</script><img src=x onerror=alert(1)>A report of the liver.</html>";
    let names = [
        "../../evil.txt",
        "..\\..\\evil.txt",
        "/etc/cron.d/evil",
        "....//evil.txt",
        "%2e%2e%2fevil.txt",
        ".",
        "..",
        "a/../../evil.html",
        "<svg onload=alert(1)>.svg",
        "con.txt",
        "a%00b.txt",
        "name\" ; filename=\"x.txt",
    ];
    for name in names {
        let sent = server.request("POST", "/api/uploads").admin().files(&[], &[(name, page)]).send();
        if sent.status != 202 {
            assert_eq!(sent.status, 400, "{name}: {}", sent.text());
            continue;
        }
        let job = sent.json()["jobs"][0].clone();
        let shown = job["file_name"].as_str().unwrap();
        assert!(!shown.contains(['/', '\\', '\0', '<', '"']) && !shown.contains(".."), "{name}: {shown}");
        let id = job["id"].as_str().unwrap();
        server.finished(id);
        for path in
            [format!("/api/jobs/{id}"), format!("/api/jobs/{id}/result"), format!("/api/jobs/{id}/events")]
        {
            let answer = server.get(&path);
            assert!(!answer.header("content-type").unwrap().contains("html"), "{}", answer.head);
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{}", answer.head);
        }
    }
    let json_name =
        json!({"text": "A report.", "file_name": "a\r\nSet-Cookie: x=y\u{0}\u{1b}[31m\u{202e}.txt"});
    let job = server.post("/api/jobs", &json_name).is(202);
    assert!(!job.head.to_ascii_lowercase().contains("set-cookie"), "{}", job.head);
    let shown = job.json()["file_name"].as_str().unwrap().to_owned();
    assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
    // Pages show names and texts as text.
    let listed = server.request("GET", "/").admin().header("Accept", "text/html").send().is(200).text();
    assert!(!listed.contains("<svg onload") && !listed.contains("<script>document"), "{listed}");
    // Nothing is written outside of the folder of uploads.
    for outside in ["evil.txt", "evil.html", "data/evil.txt", "../evil.txt"] {
        assert!(!place.path(outside).exists(), "{outside}");
    }
    for file in files_below(&place.path("data/uploads")) {
        assert!(std::fs::symlink_metadata(&file).unwrap().is_file(), "{}", file.display());
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

#[cfg(unix)]
#[test]
fn paths_lead_nowhere_but_into_the_folders_that_are_allowed() {
    let place = Workspace::new();
    place.write("inbox/a.txt", "A report of the liver.");
    place.write("secret.txt", "A secret.");
    let inbox = place.path("inbox");
    std::os::unix::fs::symlink(place.path("secret.txt"), inbox.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(place.path(""), inbox.join("up")).unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", inbox.join("environ.txt")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(inbox.join("pipe")).status().unwrap();
    assert!(made.success());
    let server = server(&place, &["--folder", inbox.to_str().unwrap()]);
    let submit = |path: &str| server.post("/api/jobs", &json!({ "path": path }));
    submit("a.txt").is(202);
    for path in [
        "../secret.txt",
        "x/../../secret.txt",
        "./../secret.txt",
        place.path("secret.txt").to_str().unwrap(),
        &format!("{}/../secret.txt", inbox.display()),
        "link.txt",
        "up/secret.txt",
        "environ.txt",
        "/proc/self/environ",
        "/dev/zero",
        "/etc/passwd",
        "pipe",
        "",
        ".",
        "a.txt\0.pdf",
        "file:///etc/passwd",
        "\\\\evil.example\\share\\a.txt",
    ] {
        let answer = submit(path);
        assert!(
            matches!(answer.status, 400 | 403 | 404 | 422),
            "{path}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(!answer.text().contains("A secret"), "{path}");
    }
    // A profile is a name, never a file.
    place.write("evil.yaml", "description: x\nextends: clinical\n");
    for profile in
        ["./evil.yaml", "evil.yaml", place.path("evil.yaml").to_str().unwrap(), "../clinical", "a\0b"]
    {
        let answer = server.post("/api/jobs", &json!({"text": "A report.", "profile": profile}));
        assert!(matches!(answer.status, 400 | 404 | 422), "{profile}: {} {}", answer.status, answer.text());
    }
    for setting in
        ["provider", "stages.extract.base_url", "network.egress", "validators", "extends", "budget.cost_usd"]
    {
        let body = json!({"text": "A report.", "settings": {setting: "http://evil.example"}});
        let answer = server.post("/api/jobs", &body);
        assert!(matches!(answer.status, 400 | 422), "{setting}: {} {}", answer.status, answer.text());
    }
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/journal.sqlite",
        "//evil.example/x",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.head);
    }
}

#[test]
fn requests_that_are_too_much_are_refused_and_nothing_breaks() {
    let place = Workspace::new();
    let server = server(&place, &["--most-mb", "1"]);
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let many: Vec<String> = (0..100_000).map(|at| format!("\"k{at}\":1")).collect();
    let bodies = [
        (
            "deep JSON",
            "application/json",
            format!("{{\"text\":\"x\",\"settings\":{{\"variables.a\":{deep}}}}}"),
        ),
        (
            "many fields",
            "application/json",
            format!("{{\"text\":\"x\",\"settings\":{{{}}}}}", many.join(",")),
        ),
        ("a key twice", "application/json", "{\"text\":\"x\",\"text\":\"y\"}".to_owned()),
        ("an unknown key", "application/json", "{\"text\":\"x\",\"texts\":\"y\"}".to_owned()),
        ("two documents", "application/json", "{\"text\":\"x\",\"path\":\"y\"}".to_owned()),
        ("no JSON", "application/json", "\u{0}\u{1}".to_owned()),
        (
            "a huge number",
            "application/json",
            "{\"text\":\"x\",\"settings\":{\"accept.overall\":1e999}}".to_owned(),
        ),
        ("a large text", "application/json", json!({"text": "x".repeat((1 << 20) + 1)}).to_string()),
        ("a large upload", "text/plain", "x".repeat(20 << 20)),
        ("a form as JSON", "application/x-www-form-urlencoded", "text=x".to_owned()),
        ("a page", "text/html", "<p>x".to_owned()),
        ("no media type", "", "{\"text\":\"x\"}".to_owned()),
    ];
    for (what, media_type, body) in bodies {
        let answer = server.request("POST", "/api/jobs").admin().body(media_type, body.as_bytes()).send();
        assert!(
            matches!(answer.status, 400 | 413 | 415 | 422),
            "{what}: {} {}",
            answer.status,
            answer.text()
        );
    }
    let file = "x".repeat((1 << 20) + 1);
    server.request("POST", "/api/uploads").admin().files(&[], &[("large.txt", &file)]).send().is(413);
    let parts: Vec<(&str, &str)> = vec![("setting", "accept.overall=0.9"); 20_000];
    let answer = server.request("POST", "/api/uploads").admin().files(&parts, &[("a.txt", "x")]).send();
    assert!(answer.status < 500, "{}", answer.text());
    let endless = "POST /api/uploads HTTP/1.1\r\nConnection: close\r\n";
    let body = "--part\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
    let own = format!(
        "{endless}Host: {}\r\nAuthorization: Bearer {}\r\nContent-Type: multipart/form-data; boundary=part\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        server.token,
        body.len()
    );
    assert!(matches!(raw(&server, own.as_bytes()).status, 400 | 422));
    let headers: String = (0..500).map(|at| format!("X-{at}: y\r\n")).collect();
    let many =
        format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", server.address);
    assert_eq!(raw(&server, many.as_bytes()).status, 431);
    let long = format!(
        "GET /{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        "a".repeat(70_000),
        server.address
    );
    assert!(matches!(raw(&server, long.as_bytes()).status, 414 | 431));
    server.request("GET", "/healthz").send().is(200);
}

/// No other client waits for them: neither for headers nor for a body that does not come. (How long they are waited for
/// themselves is a matter of the units `connections` and `slow_bodies`.)
#[test]
fn clients_that_send_nothing_more_keep_nobody_waiting() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let mut slow = Vec::new();
    for at in 0..64 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!("POST /api/jobs HTTP/1.1\r\nHost: {}\r\n", server.address);
        let whole = format!(
            "{head}Authorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
            server.token
        );
        let sent = match at % 3 {
            0 => "",
            1 => &head,
            _ => &whole,
        };
        stream.write_all(sent.as_bytes()).unwrap();
        slow.push(stream);
    }
    server.request("GET", "/healthz").send().is(200);
    server.post("/api/jobs", &json!({"text": "A report."})).is(202);
}

/// The instructions to browsers are the same for every answer.
#[test]
fn every_answer_says_what_browsers_may_do_with_it() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let answers = [
        server.request("GET", "/login").send().is(200),
        server.request("GET", "/assets/service.css").send().is(200),
        server.request("GET", "/assets/nothing").send().is(404),
        server.request("GET", "/").send().is(401),
        server.request("GET", "/").header("Accept", "text/html").send().is(303),
        server.get("/").is(200),
        server.get("/nothing").is(404),
        server.request("GET", "/nothing").admin().header("Accept", "text/html").send().is(404),
        server.get("/api/jobs/none").is(404),
        server.request("PUT", "/api/jobs").admin().send().is(405),
        server.request("GET", "/metrics").header("Host", "evil.example").send().is(403),
        server.request("POST", "/api/jobs").send().is(403),
        server.request("POST", "/api/jobs").admin().body("application/json", b"{").send(),
        server.request("GET", "/healthz").send().is(200),
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap_or_default();
        for part in ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{}", answer.head);
        }
        assert!(!policy.contains("unsafe"), "{}", answer.head);
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cache-control", "no-store"),
            ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}", answer.head);
        }
        assert!(answer.header("server").is_none(), "{}", answer.head);
    }
}

/// Text that an attacker writes into a log is read by people on terminals and pages.
#[test]
fn who_was_refused_is_kept_without_what_they_would_write() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let host = "evil.example\u{1b}[2J";
    server.request("GET", "/metrics").header("Host", host).send();
    server.request("GET", "/api/jobs?token=loopctl_secret").token("loopctl_guess").send().is(401);
    let refused = server.request("GET", "/metrics").header("Host", "evil.example").send().is(403);
    assert!(!refused.text().contains('\u{1b}'), "{}", refused.text());
    // What is kept is kept by the next thing that is written.
    server.post("/api/jobs", &json!({"text": "A report."})).is(202);
    drop(server);
    let kept = std::fs::read(place.path("data/journal.sqlite")).unwrap();
    let log = std::fs::read(place.path("data/journal.sqlite-wal")).unwrap_or_default();
    let kept = String::from_utf8_lossy(&[kept, log].concat()).into_owned();
    assert!(kept.contains("`evil.example` is not a name of this service"));
    assert!(!kept.contains("loopctl_secret") && !kept.contains("loopctl_guess"));
}
