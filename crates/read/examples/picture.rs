use loopctl_read::DocumentReader;
fn main() {
    let mut args = std::env::args().skip(1);
    let file = std::fs::read(args.next().unwrap()).unwrap();
    let page: usize = args.next().unwrap().parse().unwrap();
    let scale: f32 = args.next().unwrap().parse().unwrap();
    let out = args.next().unwrap();
    let t = std::time::Instant::now();
    let p = DocumentReader::in_process().page_picture(&file, page, scale).unwrap();
    eprintln!("{:?}", t.elapsed());
    std::fs::write(out, p.png()).unwrap();
}
