#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# What `make install` installs: that it works where it is, without the tree, and says what is true.

load ../common
load ../gpu
load ../node

teardown() { end_jobs; }

# make_in VARIABLE=VALUE... TARGET: without building anything, as the build may be a sanitizer's.
make_in() {
	make -s --no-print-directory -o all O="$O" "$@"
}

# What is in a folder.
files() {
	(cd "$1" && find . ! -type d | sort)
}

@test "the files, their modes and links, below DESTDIR alone" {
	make_in DESTDIR="$T/root" PREFIX=/opt/r LIBDIR=/opt/r/lib64 install
	cd "$T/root"
	[ "$(ls)" = opt ]
	[ "$(ls opt)" = r ]
	[ "$(stat -c %a opt/r/bin/rtrace-bpf)" = 755 ]
	[ "$(find . -type f -perm /111)" = ./opt/r/bin/rtrace-bpf ]
	[ -z "$(find . -type f ! -perm -444)" ]
	# The agent lies where the tracer looks for it, whatever LIBDIR is.
	[ -f opt/r/lib/rtrace/librtrace-agent.so ]
	for lib in libroctx64 librocprofiler-sdk-roctx libroctracer64 librocprofiler-sdk; do
		[ "$(realpath opt/r/lib64/$lib.so)" = "$(realpath opt/r/lib64)/$(objdump -p opt/r/lib64/$lib.so | awk '/SONAME/ { print $2 }')" ]
	done
	for page in rtrace-bpf rtrace-bpf-export rtrace-bpf-report rtrace-bpf-merge rtrace-bpf-top rtrace-bpf-ps rtrace-bpf-doctor; do
		[ -s "opt/r/share/man/man1/$page.1" ]
	done
	[ -s opt/r/share/doc/rtrace/LICENSE ]
	# All names of directories are filled in.
	grep -rIn '@[A-Z]*@' . | tee "$T/left"
	[ ! -s "$T/left" ]
	# Again, over what is there, by somebody with another umask.
	files . >"$T/first"
	(cd "$OLDPWD" && umask 077 && make_in DESTDIR="$T/root" PREFIX=/opt/r LIBDIR=/opt/r/lib64 install)
	files . | diff "$T/first" -
	[ -z "$(find . ! -perm -444)" ]
}

@test "uninstall: nothing of ours is left, and nothing else is gone" {
	make_in PREFIX="$T/p" install
	touch "$T/p/bin/other" "$T/p/include/roctracer/other.h" "$T/p/include/rocprofiler-sdk/hip/other.h"
	make_in PREFIX="$T/p" uninstall
	[ "$(files "$T/p" | tr '\n' ' ')" = './bin/other ./include/rocprofiler-sdk/hip/other.h ./include/roctracer/other.h ' ]
	[ ! -e "$T/p/lib/rtrace" ]
	[ ! -e "$T/p/lib/roctracer" ]
	[ ! -e "$T/p/include/roctracer/ext" ]
	[ "$(ls "$T/p/include/rocprofiler-sdk")" = hip ]
	[ -z "$(ls "$T/p/lib/cmake")" ]
	[ ! -e "$T/p/share/doc/rtrace" ]
	make_in PREFIX="$T/p" uninstall
}

# For tests that mount something: not in a chroot.
needs_mounts() {
	unshare --mount --propagation private true 2>"$T/unshare" || skip "no mounts of one's own here: $(cat "$T/unshare")"
}

# Runs a command where the tree and what was built in it are empty folders.
without_tree() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c 'mount -t tmpfs none "$1" && mount -t tmpfs none "$2" && shift 2 && cd / && exec "$@"' \
		sh "$O" "$PWD" "$@"
}

@test "a job is launched from where it is installed, without the tree, and has GPU times" {
	needs_mounts
	make_in PREFIX="$T/p" install
	cp "$O/libsimkfd.so" "$O/workloads/libkernels.so" "$O/workloads/vectoradd" "$T/p/"
	if [[ $RTRACE != "$O/rtrace-bpf" ]]; then cp "$RTRACE" "$T/p/bin/rtrace-bpf"; fi
	without_tree "$T/p/bin/rtrace-bpf" -f rtrace -f json -o "$T/job" -- \
		env LD_PRELOAD="$T/p/libsimkfd.so" SIMKFD_KERNEL_LIB="$T/p/libkernels.so" SIMKFD_TRUTH="$T/truth" \
		"$T/p/vectoradd" >"$T/out" 2>"$T/err"
	cat "$T/err"
	check_truth "$T/truth" "$T/job.json"
	without_tree "$T/p/bin/rtrace-bpf" export -f json -o "$T/again.json" "$T/job.rtrace"
	check_truth "$T/truth" "$T/again.json"
	without_tree "$T/p/bin/rtrace-bpf" doctor | grep "$T/p/lib/rtrace/librtrace-agent.so"
}

@test "an application is built with the installed roctx, and runs with it" {
	make_in PREFIX="$T/p" install
	cat >"$T/app.c" <<-'END'
		#include <roctx.h>
		#include <roctracer/roctx.h>
		int main(void) { return roctxRangePushA("x") != 0 || roctxRangePop() != 0; }
	END
	command -v pkg-config || skip "no pkg-config"
	export PKG_CONFIG_PATH=$T/p/lib/pkgconfig
	pkg-config --validate roctx64
	# The version is that of the interface.
	[ "$(pkg-config --modversion roctx64)" = "$(awk '/define ROCTX_VERSION_M/ { printf "%s%s", dot, $3; dot = "." }' include/roctracer/roctx.h)" ]
	# shellcheck disable=SC2046 # words
	gcc $(pkg-config --cflags roctx64) "$T/app.c" -o "$T/app" $(pkg-config --libs roctx64)
	LD_LIBRARY_PATH=$T/p/lib "$T/app"
	LD_LIBRARY_PATH=$T/p/lib ldd "$T/app" | grep "$T/p/lib/libroctx64.so.4"
	cat >"$T/sdk.c" <<-'END'
		#include <rocprofiler-sdk-roctx/roctx.h>
		#include <rocprofiler-sdk-roctx/api_trace.h>
		int main(void) { return roctxRangePush("x") != 0 || roctxRangePop() != 0 || roctxNameOsThread("t") != 0; }
	END
	pkg-config --validate rocprofiler-sdk-roctx
	# shellcheck disable=SC2046 # words
	gcc $(pkg-config --cflags rocprofiler-sdk-roctx) "$T/sdk.c" -o "$T/sdk" $(pkg-config --libs rocprofiler-sdk-roctx)
	LD_LIBRARY_PATH=$T/p/lib "$T/sdk"
	LD_LIBRARY_PATH=$T/p/lib ldd "$T/sdk" | grep "$T/p/lib/librocprofiler-sdk-roctx.so.1"
	PYTHONPATH=$T/p/lib/python3/dist-packages LD_LIBRARY_PATH=$T/p/lib python3 -c 'import roctx; assert roctx.rangeStart("x") == 1'
}

@test "a tool is built with the installed roctracer, and runs with it" {
	make_in PREFIX="$T/p" install
	command -v pkg-config || skip "no pkg-config"
	export PKG_CONFIG_PATH=$T/p/lib/pkgconfig
	pkg-config --validate roctracer64
	# The version is that of the interface.
	[ "$(pkg-config --modversion roctracer64)" = "$(awk '/define ROCTRACER_VERSION_M/ { printf "%s%s", dot, $3; dot = "." }' include/roctracer/roctracer.h)" ]
	cat >"$T/app.c" <<-'END'
		#include <stddef.h>
		#include <roctracer/roctracer_ext.h>
		#include <roctracer_roctx.h>
		static void told(uint32_t domain, uint32_t op, const void *data, void *count)
		{
			*(int *)count += op == ROCTX_API_ID_roctxMarkA;
		}
		int main(void)
		{
			int count = 0;
			if (roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, told, &count))
				return 1;
			roctxMarkA("x");
			return count != 1;
		}
	END
	# shellcheck disable=SC2046 # words
	gcc -Wall -Werror $(pkg-config --cflags roctracer64 roctx64) "$T/app.c" -o "$T/app" $(pkg-config --libs roctracer64 roctx64)
	LD_LIBRARY_PATH=$T/p/lib "$T/app"
	LD_LIBRARY_PATH=$T/p/lib ldd "$T/app" | grep "$T/p/lib/libroctracer64.so.4"
	# Each header by itself.
	cd "$T/p/include"
	for header in roctracer/*.h roctracer/ext/*.h; do
		for language in c c++; do
			echo "$language: $header"
			# shellcheck disable=SC2046 # words
			echo "#include <$header>" | clang -x $language -Wall -Werror -fsyntax-only -D__HIP_PLATFORM_AMD__ $(pkg-config --cflags roctracer64) \
				-idirafter /opt/rocm/include -
		done
	done
}

# Tools for the installed librocprofiler-sdk: how often hipMalloc was called, and how many kernels ran, at the end.
sdk_tools() {
	cat >"$T/tool.c" <<-'END'
		#include <stdio.h>
		#include <rocprofiler-sdk/registration.h>
		#include <rocprofiler-sdk/rocprofiler.h>
		static unsigned int mallocs, kernels;
		static rocprofiler_buffer_id_t buffer;
		static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user, void *arg)
		{
			mallocs += record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
		}
		static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id, rocprofiler_record_header_t **headers,
				       size_t count, void *arg, uint64_t dropped)
		{
			for (size_t i = 0; i < count; i++)
				kernels += headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;
		}
		static int begin(rocprofiler_client_finalize_t finalize, void *arg)
		{
			const rocprofiler_tracing_operation_t malloc = ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc;
			rocprofiler_context_id_t c = {0};
			return rocprofiler_create_context(&c) ||
			       rocprofiler_configure_callback_tracing_service(c, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
									      &malloc, 1, on_call, NULL) ||
			       rocprofiler_create_buffer(c, 4096, 2048, ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL, &buffer) ||
			       rocprofiler_configure_buffer_tracing_service(c, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, NULL, 0,
									    buffer) ||
			       rocprofiler_start_context(c);
		}
		static void end(void *arg)
		{
			rocprofiler_flush_buffer(buffer);
			fprintf(stderr, "hipMalloc %u kernels %u\n", mallocs, kernels);
		}
		rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
									   rocprofiler_client_id_t *id)
		{
			static rocprofiler_tool_configure_result_t result = {sizeof(result), begin, end, NULL};
			return version >= ROCPROFILER_VERSION ? &result : NULL;
		}
	END
	cat >"$T/tool.cpp" <<-'END'
		#include <atomic>
		#include <cstdio>
		#include <map>
		#include <rocprofiler-sdk/cxx/name_info.hpp>
		#include <rocprofiler-sdk/cxx/operators.hpp>
		#include <rocprofiler-sdk/registration.h>
		#include <rocprofiler-sdk/rocprofiler.h>
		static std::atomic<unsigned int> mallocs, kernels;
		static std::map<rocprofiler_context_id_t, rocprofiler::sdk::callback_name_info> names;
		static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *, void *)
		{
			const auto &name = names.at(record.context_id)[record.kind];
			if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER)
				mallocs += name[record.operation] == "hipMalloc";
			if (record.phase == ROCPROFILER_CALLBACK_PHASE_NONE)
				kernels += name[record.operation] == "KERNEL_DISPATCH_COMPLETE";
		}
		static int begin(rocprofiler_client_finalize_t, void *)
		{
			rocprofiler_context_id_t c = {};
			if (rocprofiler_create_context(&c))
				return 1;
			names[c] = rocprofiler::sdk::get_callback_tracing_names();
			for (auto kind : {ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH})
				if (rocprofiler_configure_callback_tracing_service(c, kind, nullptr, 0, on_call, nullptr))
					return 1;
			return rocprofiler_start_context(c);
		}
		static void end(void *)
		{
			std::fprintf(stderr, "hipMalloc %u kernels %u\n", mallocs.load(), kernels.load());
		}
		extern "C" rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t, const char *, uint32_t,
										      rocprofiler_client_id_t *)
		{
			static rocprofiler_tool_configure_result_t result = {sizeof(result), begin, end, nullptr};
			return &result;
		}
	END
}

# runs_sdk_tool LIBRARY: in a program of HIP, from where librocprofiler-sdk is installed, without the tree.
runs_sdk_tool() {
	cp "$O/libsimkfd.so" "$O/workloads/libkernels.so" "$O/workloads/vectoradd" "$T/p/"
	without_tree env LD_PRELOAD="$T/p/libsimkfd.so" SIMKFD_KERNEL_LIB="$T/p/libkernels.so" ROCP_TOOL_LIBRARIES="$1" \
		HSA_TOOLS_LIB="$T/p/lib/librocprofiler-sdk.so.1" "$T/p/vectoradd" >"$T/out" 2>"$T/err"
	cat "$T/err"
	diff "$T/err" <(awk '$1 == "calls" && $2 == "hipMalloc" { mallocs = $3 } $1 == "kernels" { kernels += $3 }
		END { print "hipMalloc " mallocs " kernels " kernels }' "$T/out")
	grep -q '^kernels' "$T/out"
}

@test "tools in C and C++ are built with the installed librocprofiler-sdk, and run with it" {
	needs_mounts
	make_in PREFIX="$T/p" install
	command -v pkg-config || skip "no pkg-config"
	export PKG_CONFIG_PATH=$T/p/lib/pkgconfig
	pkg-config --validate rocprofiler-sdk
	# The version is that of the interface.
	[ "$(pkg-config --modversion rocprofiler-sdk)" = "$(sed -n 's/.*SDK_VERSION_STRING "\(.*\)"/\1/p' include/rocprofiler-sdk/version.h)" ]
	sdk_tools
	# shellcheck disable=SC2046 # words
	gcc -Wall -Werror -shared -fPIC "$T/tool.c" -o "$T/libtool_c.so" $(pkg-config --cflags --libs rocprofiler-sdk) -idirafter /opt/rocm/include
	# shellcheck disable=SC2046 # words
	clang++ -std=c++17 -Wall -Werror -shared -fPIC "$T/tool.cpp" -o "$T/libtool_cpp.so" $(pkg-config --cflags --libs rocprofiler-sdk) \
		-idirafter /opt/rocm/include
	export LD_LIBRARY_PATH=$T/p/lib
	for tool in libtool_c.so libtool_cpp.so; do
		ldd "$T/$tool" | grep "$T/p/lib/librocprofiler-sdk.so.1"
		runs_sdk_tool "$T/$tool"
	done
}

@test "each header of the installed librocprofiler-sdk compiles by itself" {
	make_in PREFIX="$T/p" install
	cd "$T/p/include"
	find rocprofiler-sdk -type f | sort >"$T/headers"
	grep -qx rocprofiler-sdk/hip/api_args.h "$T/headers"
	while read -r header; do
		for language in c11 c++17; do
			[[ $language:$header != c11:*.hpp ]] || continue
			echo "$language: $header"
			echo "#include <$header>" | clang -x "${language%%[0-9]*}" -std="$language" -Wall -Werror -fsyntax-only -D__HIP_PLATFORM_AMD__ -I. -idirafter /opt/rocm/include -
		done
	done <"$T/headers"
}

# bats test_tags=slow
@test "a tool is built by cmake with the installed librocprofiler-sdk, and runs with it" {
	needs_mounts
	command -v cmake || skip "no cmake"
	make_in PREFIX="$T/p" install
	sdk_tools
	cat >"$T/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.18)
		project(tool LANGUAGES CXX)
		set(CMAKE_CXX_STANDARD 17)
		find_package(rocprofiler-sdk 1.0 REQUIRED)
		find_package(rocprofiler-sdk REQUIRED COMPONENTS headers shared-library)
		find_package(rocprofiler-sdk-roctx REQUIRED)
		find_package(rocprofiler-sdk 1.1 QUIET)
		if(rocprofiler-sdk_FOUND)
		  message(FATAL_ERROR "it is not 1.1")
		endif()
		find_package(rocprofiler-sdk 1.0.0 EXACT QUIET COMPONENTS other)
		if(rocprofiler-sdk_FOUND)
		  message(FATAL_ERROR "it has no other component")
		endif()
		add_library(tool SHARED tool.cpp)
		target_link_libraries(tool PRIVATE rocprofiler-sdk::rocprofiler-sdk rocprofiler-sdk-roctx::rocprofiler-sdk-roctx)
	END
	# Without a word of warning.
	CXX=clang++ cmake -S "$T" -B "$T/build" -DCMAKE_PREFIX_PATH="$T/p" 2>"$T/cmake"
	cat "$T/cmake"
	[ ! -s "$T/cmake" ]
	cmake --build "$T/build"
	runs_sdk_tool "$T/build/libtool.so"
}

@test "the tool library writes its files from where it is installed, without the tree" {
	needs_mounts
	make_in PREFIX="$T/p" install
	cp "$O/libsimkfd.so" "$O/workloads/libkernels.so" "$O/workloads/vectoradd" "$T/p/"
	mkdir "$T/files"
	without_tree env LD_PRELOAD="$T/p/libsimkfd.so" SIMKFD_KERNEL_LIB="$T/p/libkernels.so" \
		HSA_TOOLS_LIB="$T/p/lib/roctracer/libroctracer_tool.so" ROCTRACER_DOMAIN=hip ROCP_OUTPUT_DIR="$T/files" \
		"$T/p/vectoradd" >"$T/out" 2>"$T/err"
	cat "$T/err"
	[ ! -s "$T/err" ]
	[ "$(grep -c ' hipMalloc(' "$T/files"/*_hip_api_trace.txt)" = "$(sed -n 's/^calls hipMalloc //p' "$T/out")" ]
	grep -q ' fillWith:' "$T/files"/*_hcc_ops_trace.txt
}

@test "everywhere the same version" {
	version=$("$RTRACE" --version | sed 's/^rtrace-bpf //')
	[ "$(sed -n '1s/^rtrace (\(.*\)) .*/\1/p' debian/changelog)" = "$version" ]
	make_in DESTDIR="$T/root" install
	grep -qx ".Os rtrace $version" "$T/root/usr/local/share/man/man1/rtrace-bpf.1"
}

# ---- manual pages ----

commands=("" export report merge top ps doctor)

pages() {
	make_in DESTDIR="$T/p" install
	page=$T/p/usr/local/share/man/man1/rtrace-bpf
}

# help_options COMMAND...: lines "-f, --format=FORMAT" of its --help.
help_options() {
	ARGP_HELP_FMT=rmargin=1000,opt-doc-col=100,long-opt-col=6 "$@" --help |
		sed -n 's/^  \(-., \|    \)\(--[^ ]*\).*/\1\2/p' | sed 's/^ *//' | sort
}

# The same of a page: the words of its items that begin with an option.
page_options() {
	sed -n 's/^\.It Fl //p' "$1" | sed -e 's/ Ns Op = Ns Ar \(.*\)/[=\1]/' -e 's/ Ns = Ns Ar /=/' -e 's/\\&//' -e 's/ , Fl /, -/' -e 's/^/-/' | sort
}

@test "manual pages: the options are those of --help" {
	pages
	for command in "${commands[@]}"; do
		echo "rtrace-bpf $command"
		help_options "$RTRACE" ${command:+"$command"} >"$T/help"
		if [ "$command" = top ]; then # which understands those of the first page too
			help_options "$RTRACE" | grep -vx -- '.*--help\|--usage\|.*--version' | comm -13 - "$T/help" >"$T/own"
			mv "$T/own" "$T/help"
		fi
		[ "$(wc -l <"$T/help")" -ge 4 ]
		page_options "$page${command:+-$command}.1" | diff "$T/help" -
	done
	# Every command that --help names has a page, and the other way round.
	"$RTRACE" --help | sed -n '/^Other commands/,/^$/s/^  rtrace-bpf \([a-z]*\) .*/\1/p' | sort >"$T/named"
	basename -s .1 -a "$page"-*.1 | sed 's/^rtrace-bpf-//' | sort | diff "$T/named" -
}

# What the program says that an option can be.
words() {
	ARGP_HELP_FMT=rmargin=1000 "$@" '?' 2>&1 | sed -n "s/^rtrace-bpf.*'?' (\(.*\))$/\1/p" | tr -d '(),' | tr ' ' '\n' | sort -u
}

@test "manual pages: the formats and domains are those that there are" {
	pages
	for command in "-f" "export -f" "-t"; do
		# shellcheck disable=SC2086 # words
		words "$RTRACE" $command | grep -vx 'these\|five' >"$T/words"
		[ -s "$T/words" ]
		file=$page$([[ $command != export* ]] || echo -export).1
		# The items that are words, of the list of this option.
		sed -n "/^\.It Fl ${command: -1} ,/,/^\.El/p" "$file" | sed -n 's/^\.It Cm //p' | tr -d ',' | tr -s ' ' '\n' | sort |
			diff "$T/words" -
	done
}

@test "manual pages: nothing to complain of" {
	pages
	for file in "$page"*.1; do
		man --warnings -l "$file" 2>&1 >/dev/null | tee "$T/man"
		groff -mandoc -ww -z -Tutf8 "$file" 2>&1 | tee "$T/groff"
		[ ! -s "$T/man" ]
		[ ! -s "$T/groff" ]
		! command -v mandoc || mandoc -T lint -W warning "$file"
	done
	# The pages that they name are there, or of others.
	for name in $(sed -n 's/^\.Xr \(rtrace[^ ]*\) .*/\1/p' "$page"*.1 | sort -u); do
		[ -s "${page%/*}/$name.1" ]
	done
}

# ---- completion ----

# complete WORD...: what the installed completion makes of a command line that ends there, one a line.
complete_words() {
	COMP_WORDS=("$RTRACE" "$@") COMP_CWORD=$# COMPREPLY=()
	_rtrace_bpf
	printf '%s\n' "${COMPREPLY[@]}"
}

load_completion() {
	# shellcheck disable=SC1091
	. dist/rtrace-bpf.bash
}

@test "every option of --help has a test" {
	for command in "${commands[@]}"; do
		"$RTRACE" ${command:+"$command"} --usage | grep -q "^Usage: rtrace-bpf${command:+ $command} "
		while IFS=' ,=[' read -r name other _; do
			echo "rtrace-bpf $command $name"
			# By either name, on a command line or in a list of options.
			grep -qE -e "(^|[^[:alnum:]-])($name${other:+|$other})([^[:alnum:]-]|\$)" <(grep -hv '^ *#\|kill\|pgrep' tests/e2e/*/*.bats)
		done < <(help_options "$RTRACE" ${command:+"$command"} | grep -v -- '--usage')
	done
}

@test "completion: it is for rtrace-bpf" {
	bash -ec '. dist/rtrace-bpf.bash; complete -p rtrace-bpf' | grep -- '-F _rtrace_bpf '
}

@test "completion: commands and options are those of --help" {
	load_completion
	complete_words '' | sort | diff <("$RTRACE" --help | sed -n '/^Other commands/,/^$/s/^  rtrace-bpf \([a-z]*\) .*/\1/p' | sort) -
	[ "$(complete_words e)" = export ]
	for command in "${commands[@]}"; do
		help_options "$RTRACE" ${command:+"$command"} | grep -o -- '--[a-z-]*=\?' | sort >"$T/help"
		complete_words ${command:+"$command"} -- | sort | diff "$T/help" -
	done
	[ "$(complete_words -a --max)" = --max-size= ]
}

@test "completion: values of options" {
	load_completion
	for command in "-f" "export -f" "--attach" "report -u"; do
		# shellcheck disable=SC2086 # words
		complete_words $command '' | sort | diff <(words "$RTRACE" $command) -
	done
	[ "$(complete_words -f pf)" = pftrace ]
	# As bash splits --format=pf
	[ "$(complete_words --format = pf)" = pftrace ]
	complete_words --format = | grep -qx pftrace
	[ "$(complete_words -t ro | tr '\n' ' ')" = 'roctx roctracer ' ]
	[ "$(complete_words -t hip,roctr)" = hip,roctracer ]
	[ "$(complete_words --trace-start '' | tr '\n' ' ')" = 'on off ' ]
	[ "$(complete_words --uid roo)" = root ]
	[ -z "$(complete_words --duration '')" ]
	"$O/capture/edges" go 1 >"$T/out" &
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/out"
	complete_words -p '' | grep -qx "$!"
	complete_words doctor --pid = | grep -qx "$!"
}

@test "completion: files" {
	load_completion
	mkdir "$T/d" "$T/d/a folder"
	touch "$T/d/a.rtrace" "$T/d/a b.rtrace" "$T/d/a.json"
	for command in export report merge; do
		complete_words "$command" "$T/d/a" | sort | diff <(printf '%s\n' "$T/d/a b.rtrace" "$T/d/a folder" "$T/d/a.rtrace" | sort) -
	done
	[ "$(complete_words -o "$T/d/a.j")" = "$T/d/a.json" ]
	[ "$(complete_words -d "$T/d/a f")" = "$T/d/a folder" ]
	[ "$(complete_words doctor --probes "$T/d/a.j")" = "$T/d/a.json" ]
	# A command's own words are none of ours.
	complete_words -f text -- mkdi | grep -qx mkdir
	[ "$(complete_words -f text -- cat -f "$T/d/a.j")" = "$T/d/a.json" ]
}

# typed SHELL KEYS TEXT: the shell has that text on a terminal when TAB is pressed after the keys
typed() {
	make_in PREFIX="$T/p" install
	mkdir -p "$T/home"
	case $1 in
	zsh) printf 'PS1="> "; unsetopt BEEP; fpath=(%q $fpath); autoload -U compinit; compinit -u\n' "$T/p/share/zsh/site-functions" >"$T/home/.zshrc" ;;
	fish)
		mkdir -p "$T/home/.config/fish/completions" && cp "$T/p/share/fish/vendor_completions.d/rtrace-bpf.fish" "$T/home/.config/fish/completions/"
		echo 'function fish_prompt; printf "> "; end' >"$T/home/.config/fish/config.fish"
		;;
	esac
	fresh typed
	(
		wait_for grep -q '> ' "$T/typed" || :
		printf '%s\t' "$2"
		wait_for grep -q "$3" "$T/typed" || :
		printf '\025exit\r'
	) | HOME=$T/home ZDOTDIR=$T/home PATH=$(dirname "$RTRACE"):$PATH TERM=xterm script -qefc "stty cols 120; $1 -i" "$T/typed" >/dev/null
	grep -q "$3" "$T/typed"
}

# bats test_tags=slow
@test "completion: zsh and fish ask bash" {
	for shell in zsh fish; do
		command -v "$shell" >/dev/null || skip "no $shell"
		typed "$shell" "rtrace-bpf expo" 'rtrace-bpf .*export'
		typed "$shell" "rtrace-bpf -f pft" 'pftrace'
	done
}

# ---- the service ----

# A value of the unit, as installed in the usual place.
unit() {
	sed -n "s/^$1=//p" "$T/root/usr/local/lib/systemd/system/rtrace.service"
}

# Its options, as the tracer gets them.
unit_options() {
	unit Environment | sed -e 's/^"RTRACE_OPTIONS=//' -e 's/"$//' -e 's/%%/%/g' | grep .
}

@test "the service: the unit is right, and its options are" {
	make_in DESTDIR="$T/root" install
	if command -v systemd-analyze; then
		mkdir "$T/units"
		# systemd wants to see the program.
		sed "s|/usr/local/bin|$T/root/usr/local/bin|" "$T/root/usr/local/lib/systemd/system/rtrace.service" >"$T/units/rtrace.service"
		mkdir "$T/units/rtrace.service.d"
		sed -e 's/^#\([A-Z]\)/\1/' -e "s|/usr/local/bin|$T/root/usr/local/bin|" \
			"$T/root/usr/local/share/doc/rtrace/examples/rtrace.conf" >"$T/units/rtrace.service.d/rtrace.conf"
		SYSTEMD_UNIT_PATH="$T/units:" systemd-analyze verify --man=no "$T/units/rtrace.service" 2>&1 | tee "$T/said"
		# Of other units it may say something.
		[ "$(grep -c rtrace "$T/said")" = 0 ]
	fi
	# All options that are proposed are accepted: nothing is said but that there is nothing to trace.
	{ unit_options && sed -n 's/^#RTRACE_OPTIONS="\(.*\)"$/\1/p' dist/rtrace.default; } >"$T/options"
	[ "$(head -n 1 "$T/options")" = "$(sed -n 2p "$T/options")" ]
	while read -r -a words; do
		fails 2 'nothing to trace: give -p PID' "$RTRACE" "${words[@]}"
	done <"$T/options"
}

# As setpriv wants them: all but those are out of reach.
bounding() {
	echo "-all$(printf ',+%s' "${@#CAP_}" | tr '[:upper:]' '[:lower:]')"
}

# as_service FOLDER CAPABILITIES COMMAND...: in place of this shell, as the unit has it: with no more capabilities, files
# but those in the folder read-only (ProtectSystem=strict), and no memory that is made executable
# (MemoryDenyWriteExecute; here PR_SET_MDWE, where the kernel has that).
as_service() {
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --mount --propagation private sh -ec '
		mount --bind "$1" "$1"; mount -o remount,bind,ro /; capabilities=$2; shift 2
		exec python3 -c "import ctypes, os, sys
ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])" setpriv --bounding-set "$capabilities" --inh-caps=-all --no-new-privs "$@"' sh "$@"
}

# bats test_tags=node
@test "the service: with its options and capabilities it records the jobs of all users, in every mode" {
	needs_mounts
	mkdir "$T/var"
	make_in DESTDIR="$T/root" install
	read -r -a capabilities < <(unit CapabilityBoundingSet)
	read -r -a options < <(unit_options)
	for mode in $(attach_modes); do
		fresh out job.err go err
		rm -rf "$T/u" "$T/var"/*
		start_private_job
		as_service "$T/var" "$(bounding "${capabilities[@]}")" "$RTRACE" -a -d "$T/var" "${options[@]}" \
			--attach "$mode" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q "process $job .*GPU times" "$T/err"
		go
		wait "$job"
		kill -INT "$tracer"
		wait "$tracer"
		cat "$T/err"
		[ "$(stat -c %a "$T/var"/*.rtrace)" = 600 ]
		"$RTRACE" export -f json -o "$T/t.json" "$T/var"/*.rtrace
		only "$job" >"$T/job.json"
		truth_since_go "$T/u/truth"
		JUDGE=--one-process check_truth "$T/truth.go" "$T/job.json"
		check_counts "$T/out" "$T/job.json"
	done
}

# bats test_tags=node
@test "the service: no capability could be left out" {
	make_in DESTDIR="$T/root" install
	read -r -a capabilities < <(unit CapabilityBoundingSet)
	for capability in "${capabilities[@]}"; do
		# What only a user may read is seen where it is traced, not when it starts.
		[ "$capability" != CAP_DAC_OVERRIDE ] || continue
		mapfile -t others < <(printf '%s\n' "${capabilities[@]}" | grep -vx "$capability")
		fails 1 "missing capabilities: $capability$" setpriv --bounding-set "$(bounding "${others[@]}")" --inh-caps=-all "$RTRACE" -a
	done
}
