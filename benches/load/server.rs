//! A server on loopback that answers every request alike and counts them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// How it answers.
#[derive(Debug, Clone, Copy)]
pub enum Manner {
    /// At once, with as little work as can be.
    Barely,
    /// At once, as a server written with a usual framework does.
    AtOnce,
    After(Duration),
    /// A token bucket: so many a second, so many at once when it is full.
    Limited {
        rate: u32,
        burst: u32,
        retry_after: bool,
    },
}

/// What came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub requests: usize,
    pub answered: usize,
    /// From the first request to the last.
    pub span: Duration,
}

impl Seen {
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.span.as_secs_f64()
    }
}

struct Book {
    requests: usize,
    answered: usize,
    first: Option<Instant>,
    last: Option<Instant>,
    level: f64,
}

struct Desk {
    manner: Manner,
    book: Mutex<Book>,
}

pub struct Server {
    pub root: String,
    pub address: std::net::SocketAddr,
    desk: Arc<Desk>,
    _runtime: tokio::runtime::Runtime,
}

const BOOK: Book = Book { requests: 0, answered: 0, first: None, last: None, level: f64::INFINITY };
const ANSWER: &str = r#"{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"The first one gives the reason that was asked for.\n[[A]]"}}],"usage":{"prompt_tokens":300,"completion_tokens":20,"total_tokens":320}}"#;

impl Server {
    pub fn start(manner: Manner) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let desk = Arc::new(Desk { manner, book: Mutex::new(BOOK) });
        let listener = runtime.block_on(async { listen() });
        let address = listener.local_addr().unwrap();
        if let Manner::Barely = manner {
            runtime.spawn(lean(listener, Arc::clone(&desk)));
        } else {
            let app = Router::new().fallback(answer).with_state(Arc::clone(&desk));
            runtime.spawn(async move { axum::serve(listener, app).await });
        }
        Self { root: format!("http://{address}"), address, desk, _runtime: runtime }
    }

    pub fn so_far(&self) -> usize {
        self.desk.book.lock().unwrap().requests
    }

    /// What came since the last time.
    pub fn take(&self) -> Seen {
        let book = std::mem::replace(&mut *self.desk.book.lock().unwrap(), BOOK);
        let span = book.first.zip(book.last).map_or(Duration::ZERO, |(first, last)| last - first);
        Seen { requests: book.requests, answered: book.answered, span }
    }
}

/// With room for every connection that may wait to be accepted: one that finds none tries again after a whole second,
/// and a run that takes half a second would be measured as taking one and a half.
fn listen() -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    socket.listen(4096).unwrap()
}

/// Serves at once with as little work as can be, so that what is measured is who asks.
async fn lean(listener: TcpListener, desk: Arc<Desk>) {
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let answer: Arc<str> = answer.into();
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(converse(stream, Arc::clone(&desk), Arc::clone(&answer)));
    }
}

/// One connection: whole requests in, the same answer out.
async fn converse(mut stream: TcpStream, desk: Arc<Desk>, answer: Arc<str>) {
    let mut buffer = vec![0; 64 << 10];
    let mut filled = 0;
    loop {
        match stream.read(&mut buffer[filled..]).await {
            Ok(read) if read > 0 => filled += read,
            _ => return,
        }
        while let Some(length) = whole_request(&buffer[..filled]) {
            buffer.copy_within(length..filled, 0);
            filled -= length;
            desk.allows();
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// Bytes of the first request in the buffer, once it is whole.
fn whole_request(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
    });
    let whole = end + length.unwrap_or(0);
    (bytes.len() >= whole).then_some(whole)
}

async fn answer(State(desk): State<Arc<Desk>>, body: Bytes) -> Response<Body> {
    drop(body);
    let is_allowed = desk.allows();
    if let Manner::After(time) = desk.manner {
        tokio::time::sleep(time).await;
    }
    let response = Response::builder().header("content-type", "application/json");
    if is_allowed {
        return response.body(Body::from(ANSWER)).unwrap();
    }
    let sends = matches!(desk.manner, Manner::Limited { retry_after: true, .. });
    let response = if sends { response.header("retry-after", "1") } else { response };
    response.status(429).body(Body::from(r#"{"error":{"message":"slow down"}}"#)).unwrap()
}

impl Desk {
    fn allows(&self) -> bool {
        let mut book = self.book.lock().unwrap();
        let now = Instant::now();
        let since = book.last.map_or(Duration::ZERO, |last| now - last);
        book.first.get_or_insert(now);
        book.last = Some(now);
        book.requests += 1;
        if let Manner::Limited { rate, burst, .. } = self.manner {
            book.level = (book.level + since.as_secs_f64() * f64::from(rate)).min(f64::from(burst));
            if book.level < 1.0 {
                return false;
            }
            book.level -= 1.0;
        }
        book.answered += 1;
        true
    }
}
