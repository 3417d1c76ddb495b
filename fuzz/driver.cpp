// Runs a fuzz target where there is no libFuzzer: all files of the corpus, then random changes
// to them, until the time is over.
//
//     scanner SECONDS SEED FILE...
#include <sanitizer/common_interface_defs.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const Bytes* current = nullptr;

// Keeps what ended the process, to be looked at.
void keep_input() {
    std::ofstream("fuzz-crash", std::ios::binary)
        .write(reinterpret_cast<const char*>(current->data()),
               static_cast<std::streamsize>(current->size()));
    std::fprintf(stderr, "the input is in fuzz-crash\n");
}

void run(const Bytes& input) {
    current = &input;
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

// Changes a few bytes: replaced, removed, doubled, or taken from another input.
Bytes change(Bytes input, const std::vector<Bytes>& corpus, std::mt19937_64& random) {
    static const std::string tokens[] = {" ",
                                         "\n",
                                         "\t",
                                         "\r\n",
                                         "#",
                                         "a",
                                         "b",
                                         "Q0",
                                         "1",
                                         "-1e3",
                                         "nan",
                                         "inf",
                                         "0.5",
                                         "\xff",
                                         std::string(1, '\0'),
                                         "a Q0 b 1 2 t\n",
                                         "b Q0 a 1 3 t\n",
                                         std::string(70, 'x')};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (std::size_t left = 1 + below(6); left > 0; --left) {
        const auto at = [&] { return static_cast<std::ptrdiff_t>(below(input.size() + 1)); };
        switch (below(5)) {
            case 0:
                if (!input.empty())
                    input[below(input.size())] = static_cast<std::uint8_t>(random());
                break;
            case 1: {
                const std::string& token = tokens[below(std::size(tokens))];
                input.insert(input.begin() + at(), token.begin(), token.end());
                break;
            }
            case 2: {
                auto a = at(), b = at();
                if (a > b) std::swap(a, b);
                if (b - a < 64) input.erase(input.begin() + a, input.begin() + b);
                break;
            }
            case 3: {
                const Bytes& other = corpus[below(corpus.size())];
                const auto first = static_cast<std::ptrdiff_t>(below(other.size() + 1));
                const auto last = first + static_cast<std::ptrdiff_t>(below(
                                              other.size() - static_cast<std::size_t>(first) + 1));
                const Bytes piece(other.begin() + first, other.begin() + last);
                if (input.size() < 4096)
                    input.insert(input.begin() + at(), piece.begin(), piece.end());
                break;
            }
            default: {
                if (input.size() < 2048) {
                    const Bytes copy = input;
                    input.insert(input.end(), copy.begin(), copy.end());
                }
            }
        }
    }
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s SECONDS SEED FILE...\n", argv[0]);
        return 2;
    }
    __sanitizer_set_death_callback(keep_input);
    std::signal(SIGABRT, [](int) { keep_input(); });
    std::vector<Bytes> corpus;
    for (int i = 3; i < argc; ++i) corpus.push_back(read_file(argv[i]));
    for (const Bytes& input : corpus) run(input);
    std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(argv[1]));
    std::size_t n_runs = 0;
    for (; std::chrono::steady_clock::now() < end; ++n_runs) {
        run(change(corpus[random() % corpus.size()], corpus, random));
    }
    std::printf("%zu files and %zu changes to them: clean\n", corpus.size(), n_runs);
}
