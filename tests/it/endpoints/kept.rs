//! Connections between two calls: used again where both sides keep them, and never for anything but a new question.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tribunal::domain::{Order, Pair};
use tribunal::judge::{CallError, Judge, JudgeSpec, Provider};

/// What the server does with a request.
#[derive(Clone, Copy)]
enum Manner {
    /// Answers and waits for the next.
    Keeps,
    /// Answers and closes, without a word of it.
    Closes,
    /// Says that it closes, and leaves that to the other side.
    SaysClose,
    /// Answers after that time.
    Late(Duration),
    /// Begins to answer, and goes on by a byte at a time without an end.
    Trickles,
    /// Answers the first question before it has read it, and reads it then; keeps the connection.
    Early,
}

/// A server that shows on which connection it was asked what.
struct Server {
    root: String,
    /// Number of the connection and the response of system B in it, for each request that was read.
    seen: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Server {
    /// Treats the nth connection (from 0) by the nth manner, the last one for ever.
    async fn start(manners: &[Manner]) -> Self {
        let manners = manners.to_vec();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&seen);
        tokio::spawn(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let manner = manners[number.min(manners.len() - 1)];
                let told = Arc::clone(&told);
                tokio::spawn(async move { serve(stream, number, manner, &told).await });
            }
        });
        Self { root, seen }
    }

    fn judge(&self, timeout: Duration) -> Judge {
        let prompt = tribunal::prompt::embedded("pairwise.en").unwrap();
        let mut spec = JudgeSpec::new("mini", Provider::Compatible, "m", prompt);
        spec.base_url = Some(format!("{}/v1", self.root));
        spec.timeout = timeout;
        Judge::endpoint(spec, &super::client()).unwrap()
    }

    /// On which connections it was asked.
    fn connections(&self) -> Vec<usize> {
        self.seen.lock().unwrap().iter().map(|(number, _)| *number).collect()
    }
}

async fn serve(stream: TcpStream, number: usize, manner: Manner, told: &Mutex<Vec<(usize, String)>>) {
    let mut stream = BufReader::new(stream);
    for nth in 0.. {
        let (mut length, mut line) = (0, String::new());
        while stream.read_line(&mut line).await.is_ok_and(|bytes| bytes > 2) {
            let lower = line.to_lowercase();
            if let Some(text) = lower.strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
            line.clear();
        }
        if length == 0 {
            // The other side has closed.
            return;
        }
        let is_early = nth == 0 && matches!(manner, Manner::Early);
        if is_early {
            answer(&mut stream, "early", "").await;
        }
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let body = String::from_utf8(body).unwrap();
        let asked = body.split("asked-").nth(1).map_or("", |rest| &rest[..3]).to_owned();
        told.lock().unwrap().push((number, asked.clone()));
        match manner {
            Manner::Early if is_early => {}
            Manner::Keeps | Manner::Early => answer(&mut stream, &asked, "").await,
            Manner::Closes => return answer(&mut stream, &asked, "").await,
            Manner::SaysClose => answer(&mut stream, &asked, "connection: close\r\n").await,
            Manner::Late(time) => {
                sleep(time).await;
                answer(&mut stream, &asked, "").await;
            }
            Manner::Trickles => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await;
                while stream.write_all(b" ").await.is_ok() {
                    sleep(Duration::from_millis(10)).await;
                }
                return;
            }
        }
    }
}

async fn answer(stream: &mut BufReader<TcpStream>, asked: &str, header: &str) {
    let message = json!({"content": format!("{asked} [[A]]")});
    let body = json!({"choices": [{"finish_reason": "stop", "message": message}]}).to_string();
    let answer = format!("HTTP/1.1 200 OK\r\n{header}content-length: {}\r\n\r\n{body}", body.len());
    // Whoever asked may have given up.
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// Asks a question of this name; the text of the answer.
async fn ask(judge: &Judge, name: &str, longer: usize) -> Result<String, CallError> {
    let question = format!("asked-{name} {}", "x".repeat(longer));
    let request = judge.request(&Pair::new(name, &question, "4", "5"), Order::Ab, 0).unwrap();
    judge.ask(&request).await.map(|completion| completion.text)
}

const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough for what was sent on this machine to have arrived.
const A_MOMENT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn one_connection_serves_one_call_after_the_other() {
    let server = Server::start(&[Manner::Keeps]).await;
    let judge = server.judge(PATIENCE);
    for name in ["q01", "q02", "q03"] {
        assert_eq!(ask(&judge, name, 0).await.unwrap(), format!("{name} [[A]]"));
    }
    assert_eq!(server.connections(), [0, 0, 0]);
}

#[tokio::test]
async fn a_connection_that_was_closed_between_two_calls_costs_no_try() {
    for manner in [Manner::Closes, Manner::SaysClose] {
        let server = Server::start(&[manner]).await;
        let judge = server.judge(PATIENCE);
        for name in ["q01", "q02"] {
            assert_eq!(ask(&judge, name, 0).await.unwrap(), format!("{name} [[A]]"));
            sleep(A_MOMENT).await;
        }
        assert_eq!(server.connections(), [0, 1]);
    }
}

#[tokio::test]
async fn the_connection_of_a_call_that_was_given_up_is_not_used_again() {
    let server = Server::start(&[Manner::Late(Duration::from_millis(600)), Manner::Keeps]).await;
    let judge = server.judge(Duration::from_millis(300));
    let given_up = ask(&judge, "q01", 0).await.unwrap_err();
    assert!(given_up.message.contains("no whole answer within 0.3 s"), "{}", given_up.message);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(ask(&judge, "q02", 0).await.unwrap(), "q02 [[A]]", "and not the late answer to q01");
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn every_question_has_its_own_time_on_a_connection_that_stays() {
    let limit = Duration::from_millis(1200);
    let server = Server::start(&[Manner::Late(limit / 3)]).await;
    let judge = server.judge(limit);
    assert!(ask(&judge, "q01", 0).await.is_ok());
    // The time of the first question is over before the second is asked, and that of the second before the fifth.
    sleep(limit).await;
    for name in ["q02", "q03", "q04", "q05"] {
        assert_eq!(ask(&judge, name, 0).await.unwrap(), format!("{name} [[A]]"));
    }
    assert_eq!(server.connections(), [0; 5]);
}

#[tokio::test]
async fn an_answer_that_only_trickles_in_is_given_up_when_its_time_is_over() {
    let server = Server::start(&[Manner::Trickles]).await;
    let given_up = ask(&server.judge(Duration::from_millis(300)), "q01", 0).await.unwrap_err();
    assert!(given_up.message.contains("no whole answer within 0.3 s"), "{}", given_up.message);
}

#[tokio::test]
async fn an_answer_before_the_question_was_sent_is_no_answer_to_the_next() {
    let server = Server::start(&[Manner::Early, Manner::Keeps]).await;
    let judge = server.judge(PATIENCE);
    // More than the system's buffers take, so that the answer comes first.
    let early = ask(&judge, "q01", 8 << 20).await;
    assert!(early.as_ref().map_or(true, |text| text.starts_with("early")), "{early:?}");
    sleep(A_MOMENT).await;
    assert_eq!(ask(&judge, "q02", 0).await.unwrap(), "q02 [[A]]");
}
