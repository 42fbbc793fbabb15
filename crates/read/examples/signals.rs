use loopctl_read::DocumentReader;
fn main() {
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file).unwrap();
        let t = std::time::Instant::now();
        let d = DocumentReader::in_process().document(loopctl_core::value::DocumentId::new("x"), bytes);
        let took = t.elapsed();
        print!("{} {took:.0?} ", file.rsplit('/').next().unwrap());
        match (&d.text, &d.pages) {
            (Ok(t), Some(p)) => {
                println!("{} bytes", t.as_str().len());
                for (n, p) in (1..).zip(p.iter()).take(6) {
                    println!(
                        "   {n}: words {} {:?}",
                        p.words.len(),
                        p.signals.iter().map(|(s, v)| format!("{}={v:.3}", s.name())).collect::<Vec<_>>()
                    );
                }
            }
            (Ok(t), None) => println!("{} bytes, no pages", t.as_str().len()),
            (Err(e), _) => println!("{e}"),
        }
    }
}
