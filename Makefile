# Shortcuts; everything here is one Maven or shell command.
.PHONY: build test campaign format path

build: ## jars and the launcher's class path, without tests
	mvn -B -ntp -DskipTests package

test: ## what every change must pass
	mvn -B -ntp verify

campaign: ## the long campaigns as well
	mvn -B -ntp verify -Pcampaign

format: ## google-java-format on every source file
	mvn -B -ntp spotless:apply

path: ## the stations of a message's path, in order, each with its package
	@grep -l 'Station' $$(find . -name package-info.java -not -path '*/target/*') | while read -r file; do \
	  awk ' \
	    /^package / { sub(/;/, ""); name = $$2; exit } \
	    /^@|^import/ { next } \
	    { gsub(/^ *\/?\*+\/? ?|\*\/$$/, ""); text = text " " $$0 } \
	    END { match(text, /[0-9]/); print substr(text, RSTART, 1) "\t" name "\t" text }' "$$file"; \
	done | sort | sed 's/{@link [a-z.]*\([A-Za-z]*\)}/\1/g' | awk -F '\t' '{ sub(/^ */, "", $$3); print $$2; print "    " $$3 }'
